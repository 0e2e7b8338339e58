package dev.rlm.journal.report;

import dev.rlm.journal.RunResults;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.jsonl.Verdict;
import dev.rlm.sinks.schema.RunResult;
import dev.rlm.sinks.schema.SampleKey;
import java.util.List;

/**
 * One run as the report counts it. It is let go once it has been counted.
 *
 * @param events those of the kinds that were asked for, by number, late ones included
 */
record RunFacts(RunSummary summary, List<RunEvent> events, SampleKey sample, RunResult result) {
    static RunFacts of(RunSummary summary, List<RunEvent> events, PassRule rule) {
        Verdict verdict = verdict(summary, all(events, RewardGiven.class), rule);
        RunResult result = RunResults.of(summary, verdict);
        return new RunFacts(summary, events, SampleKey.of(summary.row().run()), result);
    }

    private static Verdict verdict(RunSummary summary, List<RewardGiven> rewards, PassRule rule) {
        if (rule.reward() == null) {
            return summary.verdict();
        }
        double last =
                rewards.isEmpty() ? Double.NaN : rewards.get(rewards.size() - 1).value();
        boolean absent = !summary.rewards().isUsable();
        return rule.on().isSolved(last, summary.totalReward(), absent, rule.reward())
                ? Verdict.SOLVED
                : Verdict.UNSOLVED;
    }

    /** The events of that kind. */
    <E extends RunEvent> List<E> all(Class<E> kind) {
        return all(events, kind);
    }

    private static <E extends RunEvent> List<E> all(List<RunEvent> events, Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
