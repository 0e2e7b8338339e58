package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import org.jspecify.annotations.Nullable;

/**
 * End of a run as its last event tells it, without the run's own counts.
 *
 * @param status {@code null} where the run ran to its end: its rewards then tell
 * @param terminationReason one of those that trainers know; {@code null} if none was given
 * @param errorType the class of what ended it; {@code null} where it was no error
 * @param error that error with its stack trace
 */
record Ending(
        Outcome outcome,
        @Nullable RunStatus status,
        @Nullable String terminationReason,
        boolean truncated,
        @Nullable Content finalAnswer,
        @Nullable String errorType,
        @Nullable Content error) {
    /** It ran to its end, or was cut off by a limit of its own. */
    static Ending completed(@Nullable String terminationReason, boolean truncated, @Nullable Content finalAnswer) {
        return new Ending(Outcome.COMPLETED, null, terminationReason, truncated, finalAnswer, null, null);
    }

    /** An error ended it. */
    static Ending failed(RunStatus status, @Nullable String errorType, @Nullable Content error) {
        return new Ending(Outcome.FAILED, status, "non_skippable_error", false, null, errorType, error);
    }

    /** It was stopped from outside. */
    static Ending aborted(String reason, @Nullable String terminationReason) {
        RunStatus status = RunStatus.of(RunStatus.CANCELLED, reason);
        return new Ending(Outcome.ABORTED, status, terminationReason, false, null, null, null);
    }

    RunEnded event(RunInfo run, long seq, long nanos, RunTotals totals, @Nullable String runPath) {
        RunEndedBuilder end = totals.rewards().end(outcome, "");
        return (status == null ? end : end.status(status))
                .run(run)
                .seq(seq)
                .nanos(nanos)
                .solved(totals.solved())
                .runPath(runPath)
                .terminationReason(terminationReason)
                .truncated(truncated)
                .steps(totals.steps())
                .finalAnswer(finalAnswer)
                .initialState(totals.initialState())
                .metrics(totals.metrics())
                .errorType(errorType)
                .error(error)
                .build();
    }
}
