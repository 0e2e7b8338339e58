package dev.rlm.journal.report;

import dev.rlm.cli.terminal.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What must be said beside the figures, so that nobody takes them for more than they are. */
final class Notes {
    private Notes() {}

    /** What could not be read or was lost before, on both sides. */
    static List<String> damage(Report report) {
        List<String> lines = new ArrayList<>(damage(report.source(), ""));
        if (report.against() != null
                && !report.against().source().journal().equals(report.source().journal())) {
            Report.Source other = report.against().source();
            lines.addAll(damage(other, " in " + other.journal()));
        }
        return lines;
    }

    /** Likewise of one side. */
    static List<String> damage(Report.Source source, String where) {
        List<String> lines = new ArrayList<>();
        if (source.damagedLines() > 0) {
            lines.add(count(source.damagedLines(), "damaged line was", "damaged lines were") + " passed over" + where);
        }
        if (source.damagedEvents() > 0) {
            lines.add(count(source.damagedEvents(), "event of these runs", "events of these runs")
                    + " could not be read" + where);
        }
        source.losses().forEach(losses -> lines.add(Printable.line(losses.note() + where)));
        return lines;
    }

    /** What is to be known of the runs and their ends. */
    static List<String> runs(Report report) {
        RowFigures all = report.here().all();
        List<String> lines = new ArrayList<>(damage(report));
        superseded(report.source()).ifPresent(lines::add);
        if (all.count(Count.INCOMPLETE_RUNS) > 0) {
            lines.add(count(all.count(Count.INCOMPLETE_RUNS), "run lacks", "runs lack")
                    + " events in the journal: calls and tokens are at least what is said here");
        }
        return lines;
    }

    /** How many runs tell no times of what they did. */
    static Optional<String> untimed(long runs) {
        return runs == 0
                ? Optional.empty()
                : Optional.of(count(runs, "run was", "runs were")
                        + " imported without times: they are in no latency, and without start and end in no duration");
    }

    /** How many attempts were left out. */
    static Optional<String> superseded(Report.Source source) {
        return source.superseded() == 0
                ? Optional.empty()
                : Optional.of(count(source.superseded(), "earlier attempt", "earlier attempts")
                        + " at the same rollouts left out: the last attempt counts (--all-attempts counts all)");
    }

    /** What is to be known of solved runs and rewards. */
    static List<String> quality(Report report) {
        RowFigures all = report.here().all();
        List<String> lines = new ArrayList<>();
        lines.add(
                "± is the standard error, clustered by sample; rates and means are over completed and failed runs only");
        if (report.rule().reward() != null) {
            lines.add("solved: " + report.rule().on().name().toLowerCase(Locale.ROOT) + " reward of at least "
                    + report.rule().reward() + ", late rewards included, whatever the runs' ends say");
        }
        if (all.runs().undecided() > 0) {
            lines.add(count(all.runs().undecided(), "run is", "runs are")
                    + " undecided, rewarded only after the end: neither solved nor unsolved, in no rate"
                    + " (--pass-reward R decides by all rewards)");
        }
        long others = all.count(Count.LATE_REWARDED_RUNS) - all.runs().undecided();
        if (others > 0) {
            lines.add(count(others, "run was", "runs were") + " rewarded before the end and after it: totals have both"
                    + (report.rule().reward() == null
                            ? "; solved is what the end says (--pass-reward R decides by all rewards)"
                            : ""));
        }
        if (all.runs().unusable() > 0) {
            lines.add(count(all.runs().unusable(), "run has", "runs have")
                    + " an absent reward and is in no mean reward; as for solved, its end counts");
        }
        if (all.count(Count.NOT_FINITE_REWARDS) > 0) {
            lines.add(count(all.count(Count.NOT_FINITE_REWARDS), "reward is", "rewards are")
                    + " not finite and in no total: a run counts with the others it has, or with 0");
        }
        if (all.count(Count.OUT_OF_RANGE_REWARDS) > 0) {
            lines.add(count(all.count(Count.OUT_OF_RANGE_REWARDS), "reward is", "rewards are")
                    + " outside the range that the source promises, and counted as given");
        }
        if (all.count(Count.UNREWARDED_RUNS) > 0) {
            lines.add(count(all.count(Count.UNREWARDED_RUNS), "run was", "runs were")
                    + " given no reward at all: counted as 0");
        }
        return lines;
    }

    /** So many of them. */
    static String count(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
