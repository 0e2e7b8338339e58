package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The events of a run that was recorded elsewhere; each comes as many milliseconds after its start as its number says. */
public record Published(RunInfo info) {
    private static final long MILLI = 1_000_000;

    public Published(String runId) {
        this(runId, FakeClock.START);
    }

    Published(String runId, Instant start) {
        this(RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(start)
                .environment("calc")
                .model("gpt")
                .build());
    }

    public RunStarted started() {
        return new RunStarted(info, 1);
    }

    public StepStarted step(long seq, int number) {
        return new StepStarted(info, seq, seq * MILLI, number, 0, Content.EMPTY);
    }

    public StepEnded stepEnded(long seq, StepStarted step) {
        Content none = Content.EMPTY;
        return StepEndedBuilder.builder()
                .started(step)
                .seq(seq)
                .nanos(seq * MILLI)
                .actionType("act")
                .code(none)
                .output(none)
                .success(true)
                .build();
    }

    public RewardGiven reward(long seq, double value) {
        return reward(seq, 0, value, seq);
    }

    /** One whose computation started so many milliseconds after the run. */
    public RewardGiven reward(long seq, int step, double value, long startMillis) {
        return RewardGivenBuilder.builder()
                .run(info)
                .seq(seq)
                .nanos(seq * MILLI)
                .step(step)
                .source("judge")
                .value(value)
                .startNanos(startMillis * MILLI)
                .build();
    }

    /** A call that took no time and lies in the span of another event. */
    public ModelCalled modelCall(long seq, long parentSeq) {
        return ModelCalledBuilder.builder()
                .run(info)
                .seq(seq)
                .nanos(seq * MILLI)
                .startNanos(seq * MILLI)
                .parentSeq(parentSeq)
                .provider("openai")
                .model("judge")
                .build();
    }

    public SpanRecorded span(
            long seq,
            long startMillis,
            String name,
            long parentSeq,
            Map<String, Object> attributes,
            @Nullable String error) {
        Content failure = error == null ? null : Content.redacted(error);
        return SpanRecordedBuilder.builder()
                .run(info)
                .seq(seq)
                .nanos(seq * MILLI)
                .startNanos(startMillis * MILLI)
                .name(name)
                .parentSeq(parentSeq)
                .attributes(attributes)
                .error(failure)
                .build();
    }

    public RunEnded ended(long seq) {
        return ended(seq, Outcome.COMPLETED);
    }

    public RunEnded ended(long seq, Outcome outcome) {
        return ended(seq, seq * MILLI, outcome, null);
    }

    /** An end so many nanoseconds after the start, with an answer. */
    public RunEnded answered(long seq, long nanos, String answer) {
        return ended(seq, nanos, Outcome.COMPLETED, Content.redacted(answer));
    }

    private RunEnded ended(long seq, long nanos, Outcome outcome, @Nullable Content answer) {
        return RunEndedBuilder.builder()
                .run(info)
                .seq(seq)
                .nanos(nanos)
                .outcome(outcome)
                .status(RunStatus.of(RunStatus.FINISHED, "why"))
                .finalAnswer(answer)
                .build();
    }
}
