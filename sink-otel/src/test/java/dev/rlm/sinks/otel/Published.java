package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The events of a run that was recorded elsewhere; each comes as many milliseconds after its start as its number says. */
record Published(RunInfo info) {
    private static final long MILLI = 1_000_000;

    Published(String runId) {
        this(runId, FakeClock.START);
    }

    Published(String runId, Instant start) {
        this(new RunInfo(
                runId, start, Content.EMPTY, "calc", "gpt", 0, null, Map.of(), Map.of(), Correlation.NONE, null));
    }

    RunStarted started() {
        return new RunStarted(info, 1);
    }

    StepStarted step(long seq, int number) {
        return new StepStarted(info, seq, seq * MILLI, number, 0, Content.EMPTY);
    }

    StepEnded stepEnded(long seq, StepStarted step) {
        Content none = Content.EMPTY;
        return new StepEnded(step, seq, seq * MILLI, "act", none, none, true, null, null, 0, 0, null, null, Map.of());
    }

    RewardGiven reward(long seq, double value) {
        return reward(seq, 0, value, seq);
    }

    /** One whose computation started so many milliseconds after the run. */
    RewardGiven reward(long seq, int step, double value, long startMillis) {
        return new RewardGiven(info, seq, seq * MILLI, step, "judge", value, null, List.of(), startMillis * MILLI);
    }

    /** A call that took no time and lies in the span of another event. */
    ModelCalled modelCall(long seq, long parentSeq) {
        return new ModelCalled(
                info,
                seq,
                seq * MILLI,
                0,
                seq * MILLI,
                parentSeq,
                null,
                "openai",
                "judge",
                Map.of(),
                List.of(),
                null,
                Usage.UNKNOWN,
                null,
                null,
                0,
                null);
    }

    SpanRecorded span(
            long seq,
            long startMillis,
            String name,
            long parentSeq,
            Map<String, Object> attributes,
            @Nullable String error) {
        Content failure = error == null ? null : Content.redacted(error);
        return new SpanRecorded(info, seq, seq * MILLI, 0, startMillis * MILLI, name, parentSeq, attributes, failure);
    }

    RunEnded ended(long seq) {
        return ended(seq, Outcome.COMPLETED);
    }

    RunEnded ended(long seq, Outcome outcome) {
        return ended(seq, seq * MILLI, outcome, null);
    }

    /** An end so many nanoseconds after the start, with an answer. */
    RunEnded answered(long seq, long nanos, String answer) {
        return ended(seq, nanos, Outcome.COMPLETED, Content.redacted(answer));
    }

    private RunEnded ended(long seq, long nanos, Outcome outcome, @Nullable Content answer) {
        return new RunEnded(
                info,
                seq,
                nanos,
                outcome,
                RunStatus.of(RunStatus.FINISHED, "why"),
                false,
                null,
                null,
                false,
                0,
                0,
                0,
                answer,
                Map.of(),
                null,
                null);
    }
}
