package dev.rlm.runs.report.results;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.runs.report.figures.Count;
import dev.rlm.runs.report.figures.PassRule;
import dev.rlm.runs.report.figures.RowFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Remarks beside the figures: how they are counted, and which data they lack. */
public final class Notes {
    private Notes() {}

    /** Returns remarks on unreadable and lost data, on both sides of a comparison. */
    static List<String> damage(Report report) {
        List<String> lines = new ArrayList<>(damage(report.source(), ""));
        if (report.against() != null
                && !report.against().source().journal().equals(report.source().journal())) {
            Report.Source other = report.against().source();
            lines.addAll(damage(other, " in " + other.journal()));
        }
        return lines;
    }

    /** Returns remarks on unreadable and lost data of one side, each followed by {@code where}. */
    public static List<String> damage(Report.Source source, String where) {
        List<String> lines = new ArrayList<>();
        String unread = " could not be read" + where;
        lines.addAll(note(source.damagedLines(), "damaged line was", "damaged lines were", " passed over" + where));
        lines.addAll(note(source.damagedEvents(), "event of these runs", "events of these runs", unread));
        source.losses().forEach(losses -> lines.add(Printable.line(losses.note() + where)));
        return lines;
    }

    /** Returns remarks on unreadable and lost data, superseded attempts and incomplete runs. */
    static List<String> runs(Report report) {
        List<String> lines = new ArrayList<>(damage(report));
        lines.addAll(superseded(report.source()));
        long incomplete = report.here().all().count(Count.INCOMPLETE_RUNS);
        String atLeast = " events in the journal: calls and tokens are at least what is said here";
        lines.addAll(note(incomplete, "run lacks", "runs lack", atLeast));
        return lines;
    }

    /** Returns the remark on runs without times of what they did; empty if there are none. */
    public static List<String> untimed(long runs) {
        String where = " imported without times: they are in no latency, and without start and end in no duration";
        return note(runs, "run was", "runs were", where);
    }

    /** Returns the remark on attempts that were left out; empty if there are none. */
    public static List<String> superseded(Report.Source source) {
        String why = " at the same rollouts left out: the last attempt counts (--all-attempts counts all)";
        return note(source.superseded(), "earlier attempt", "earlier attempts", why);
    }

    /** Returns remarks on how solved runs and rewards are counted. */
    static List<String> quality(Report report) {
        RowFigures all = report.here().all();
        PassRule rule = report.rule();
        List<String> lines = new ArrayList<>();
        lines.add(
                "± is the standard error, clustered by sample; rates and means are over completed and failed runs only");
        if (rule.reward() != null) {
            lines.add("solved: " + rule.on().name().toLowerCase(Locale.ROOT) + " reward of at least " + rule.reward()
                    + ", late rewards included, whatever the runs' ends say");
        }
        long undecided = all.runs().undecided();
        String late = " undecided, rewarded only after the end: neither solved nor unsolved, in no rate"
                + " (--pass-reward R decides by all rewards)";
        lines.addAll(note(undecided, "run is", "runs are", late));
        long onlyLate = all.count(Count.ONLY_LATE_REWARDED_RUNS);
        String decided = " rewarded only after the end"
                + (rule.reward() == null
                        ? ": the first reward says if it is solved (--pass-reward R decides by all rewards)"
                        : "");
        lines.addAll(note(onlyLate - undecided, "run was", "runs were", decided));
        String both = " rewarded before the end and after it: totals have both"
                + (rule.reward() == null
                        ? "; solved is what the end says (--pass-reward R decides by all rewards)"
                        : "");
        lines.addAll(note(all.count(Count.LATE_REWARDED_RUNS) - onlyLate, "run was", "runs were", both));
        String unusable = " an absent reward: in no mean reward; as for solved, the end counts";
        lines.addAll(note(all.runs().unusable(), "run has", "runs have", unusable));
        String infinite = " not finite and in no total: a run counts with the others it has, or with 0";
        lines.addAll(note(all.count(Count.NOT_FINITE_REWARDS), "reward is", "rewards are", infinite));
        String outOfRange = " outside the range that the source promises, and counted as given";
        lines.addAll(note(all.count(Count.OUT_OF_RANGE_REWARDS), "reward is", "rewards are", outOfRange));
        String unrewarded = " without a reward: in no mean, and in no rate but where it failed";
        lines.addAll(note(all.runs().unrewarded(), "run is", "runs are", unrewarded));
        return lines;
    }

    /** So many of them, and what is to be said of them; nothing where there are none. */
    public static List<String> note(long number, String one, String many, String what) {
        return number > 0 ? List.of(Counted.of(number, one, many) + what) : List.of();
    }
}
