package dev.rlm.runs.report.figures;

import dev.rlm.cli.recorded.RunResults;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.journal.index.EventRow;
import dev.rlm.journal.index.RunRow;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.RunResult;
import dev.rlm.sinks.schema.SampleKey;
import java.util.Collection;
import java.util.List;

/**
 * One run as the report counts it. It is let go once it has been counted.
 *
 * @param rows of its events, by number, late ones included
 * @param events those of the kinds that were asked for, by number, late ones included; there are no rows beside them
 */
public record RunFacts(
        RunSummary summary, Collection<EventRow> rows, List<RunEvent> events, SampleKey sample, RunResult result) {
    public static RunFacts of(RunSummary summary, Collection<EventRow> rows, List<RunEvent> events, PassRule rule) {
        RunResult result = RunResults.of(summary, verdict(summary, rule));
        return new RunFacts(summary, rows, events, SampleKey.of(summary.row().run()), result);
    }

    private static Verdict verdict(RunSummary summary, PassRule rule) {
        if (rule.reward() == null) {
            return summary.verdict();
        }
        RunRow row = summary.row();
        Double total = row.totalReward();
        if (total == null) {
            return summary.verdict();
        }
        double last = row.lastReward() == null ? Double.NaN : row.lastReward();
        return rule.on().isSolved(last, total, row.absentRewards() > 0, rule.reward())
                ? Verdict.SOLVED
                : Verdict.UNSOLVED;
    }

    /** The rewards that tell more than their values, without second opinions. */
    List<EventRow.Reward> rewards() {
        return all(EventRow.Reward.class).stream()
                .filter(reward -> !reward.isOpinion())
                .toList();
    }

    /** The rows of that kind. */
    public <R extends EventRow> List<R> all(Class<R> kind) {
        return rows.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
