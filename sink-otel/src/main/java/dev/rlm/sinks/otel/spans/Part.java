package dev.rlm.sinks.otel.spans;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.mapping.CallMapping;
import dev.rlm.sinks.otel.mapping.RewardMapping;
import dev.rlm.sinks.otel.mapping.TextLimits;
import io.opentelemetry.api.trace.SpanKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A span that is to be started: of a run, of a step, or of what one event tells whole, because it comes at its end. Work
 * that others are to lie in may be known before.
 *
 * @param seq the event's number
 * @param step the step that it lies in, or {@link RunEvent#NO_STEP}
 * @param parentSeq the number of the event whose span it lies in; 0 for the step or the run
 * @param original the span of another program that it is, whose name it has then; {@code null} as a rule
 */
public record Part(
        String name,
        Ids.Kind kind,
        SpanKind spanKind,
        long seq,
        int step,
        long parentSeq,
        Instant start,
        @Nullable OriginalSpan original) {
    public static final String RUN_NAME = "rlm.run";
    static final String STEP_NAME = "rlm.step";

    /** The marker of a run that has started. */
    static final String MARKER_NAME = "rlm.run.started";

    public Part {
        String own = original == null || original.name().isBlank() ? name : original.name();
        name = TextLimits.name(own); // a model may have made it up
    }

    static Part of(RunInfo run) {
        return new Part(
                RUN_NAME, Ids.Kind.RUN, SpanKind.INTERNAL, 1, RunEvent.NO_STEP, 0, run.startedAt(), run.originalSpan());
    }

    static Part of(StepStarted step) {
        return new Part(STEP_NAME, Ids.Kind.STEP, SpanKind.INTERNAL, step.seq(), step.step(), 0, step.time(), null);
    }

    public static Part of(ModelCalled call) {
        return of(
                CallMapping.name(call),
                Ids.Kind.MODEL_CALL,
                SpanKind.CLIENT,
                call,
                call.parentSeq(),
                call.startNanos(),
                call.originalSpan());
    }

    public static Part of(ToolCalled call) {
        SpanKind kind = call.isRetrieval() ? SpanKind.CLIENT : SpanKind.INTERNAL;
        return of(
                CallMapping.name(call),
                Ids.Kind.TOOL_CALL,
                kind,
                call,
                call.parentSeq(),
                call.startNanos(),
                call.originalSpan());
    }

    public static Part of(RewardGiven reward) {
        return of(
                RewardMapping.SPAN_NAME,
                Ids.Kind.WORK,
                SpanKind.INTERNAL,
                reward,
                0,
                reward.startNanos(),
                reward.originalSpan());
    }

    public static Part of(SpanRecorded span) {
        return of(
                span.name(),
                Ids.Kind.WORK,
                SpanKind.INTERNAL,
                span,
                span.parentSeq(),
                span.startNanos(),
                span.originalSpan());
    }

    public static Part of(StandaloneSpanRecorded span) {
        return new Part(span.name(), Ids.Kind.WORK, SpanKind.INTERNAL, 1, RunEvent.NO_STEP, 0, span.startedAt(), null);
    }

    private static Part of(
            String name,
            Ids.Kind kind,
            SpanKind spanKind,
            RunEvent event,
            long parentSeq,
            long startNanos,
            @Nullable OriginalSpan original) {
        Instant start = event.run().at(startNanos);
        return new Part(name, kind, spanKind, event.seq(), event.step(), parentSeq, start, original);
    }

    /** Returns the span of the work that goes on at the place, before the work's own event comes. */
    public static Part of(Place place, Place.Work work) {
        return new Part(
                work.kind() == Place.Work.Kind.EVALUATION ? RewardMapping.SPAN_NAME : work.name(),
                Ids.Kind.WORK,
                SpanKind.INTERNAL,
                work.seq(),
                place.step() == null ? RunEvent.NO_STEP : place.step().step(),
                work.parentSeq(),
                place.run().at(work.startNanos()),
                null);
    }

    /** Says that the run of that event has started; one a run. */
    public static Part marker(RunInfo run) {
        return new Part(MARKER_NAME, Ids.Kind.MARKER, SpanKind.INTERNAL, 1, RunEvent.NO_STEP, 0, run.startedAt(), null);
    }
}
