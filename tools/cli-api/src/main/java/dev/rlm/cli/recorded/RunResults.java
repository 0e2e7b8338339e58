package dev.rlm.cli.recorded;

import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunResult;
import org.jspecify.annotations.Nullable;

/** Runs of a journal as figures count them. */
public final class RunResults {
    private RunResults() {}

    /**
     * Returns the run's.
     *
     * @param verdict whether it counts as solved
     */
    public static RunResult of(RunSummary run, Verdict verdict) {
        return new RunResult(
                outcome(run),
                verdict.solved(),
                run.totalReward(),
                run.rewards().absent() > 0,
                run.steps(),
                run.toolCalls(),
                run.duration());
    }

    private static @Nullable Outcome outcome(RunSummary run) {
        return switch (run.state()) {
            case RUNNING -> null;
            case COMPLETED -> Outcome.COMPLETED;
            case FAILED -> Outcome.FAILED;
            case ABORTED -> Outcome.ABORTED;
            case ABANDONED, UNFINISHED -> Outcome.ABANDONED;
        };
    }
}
