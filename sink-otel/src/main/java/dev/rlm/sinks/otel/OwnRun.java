package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import org.jspecify.annotations.Nullable;

/** A run in the sink's own SDK: its ids and its sampling are known before its span is started. */
final class OwnRun extends OpenRun {
    private final FixedIds next;
    private final Ids ids;
    private final Context parent;
    private final String traceId;
    private final SamplingResult sampling;
    private final TraceState state;
    private @Nullable Span span;

    OwnRun(RunInfo info, Tracer tracer, Attributes baggage, FixedIds next) {
        super(info, tracer, baggage);
        this.next = next;
        ids = Ids.of(info.runId());
        parent = next.isJoining() ? remoteParent() : Context.root();
        SpanContext remote = Span.fromContext(parent).getSpanContext();
        traceId = remote.isValid() ? remote.getTraceId() : ids.traceId();
        sampling = next.ask(parent, traceId, NAME);
        state = sampling.getUpdatedTraceState(remote.getTraceState());
    }

    /** One that has ended, with the trace and the sampling that it had. */
    OwnRun(RunInfo info, Tracer tracer, Attributes baggage, FixedIds next, SpanContext ended) {
        super(info, tracer, baggage);
        this.next = next;
        ids = Ids.of(info.runId());
        parent = Context.root();
        traceId = ended.getTraceId();
        state = ended.getTraceState();
        sampling = ended.isSampled() ? SamplingResult.recordAndSample() : SamplingResult.create(SamplingDecision.DROP);
    }

    @Override
    Span span() {
        if (span == null) {
            next.next(traceId, ids.spanId(Ids.Kind.RUN, 1), sampling);
            span = startRun(parent);
        }
        return span;
    }

    @Override
    boolean isStarted() {
        return span != null;
    }

    @Override
    Span current() {
        return wrapped(ids.spanId(Ids.Kind.RUN, 1));
    }

    @Override
    Span current(StepStarted step) {
        return wrapped(ids.spanId(Ids.Kind.STEP, step.seq()));
    }

    @Override
    Span current(Place place, Place.Work work) {
        return work(work.seq());
    }

    /**
     * With its ids alone: what an SDK makes of them is no other's to understand, so that a Java agent, which minds the
     * contexts of a process, would lose it.
     */
    @Override
    Span asParent(Span span) {
        return Span.wrap(span.getSpanContext());
    }

    @Override
    Span work(long seq) {
        return wrapped(ids.spanId(Ids.Kind.WORK, seq));
    }

    @Override
    void next(Ids.Kind kind, long seq) {
        next.next(traceId, ids.spanId(kind, seq), SamplingResult.create(sampling.getDecision()));
    }

    private Span wrapped(String spanId) {
        boolean sampled = sampling.getDecision() == SamplingDecision.RECORD_AND_SAMPLE;
        TraceFlags flags = sampled ? TraceFlags.getSampled() : TraceFlags.getDefault();
        return Span.wrap(new KnownContext(traceId, spanId, flags, state));
    }

    @Override
    OpenStep step(StepStarted step) {
        OpenStep open = findStep(step.step());
        if (open == null) {
            span(); // before the step's ids are set
            next(Ids.Kind.STEP, step.seq());
            open = startStep(step);
            steps().put(step.step(), open);
        }
        return open;
    }

    /** A span's context whose ids were made here, so that nobody need look whether they are valid: this is done for every scope. */
    private record KnownContext(String traceId, String spanId, TraceFlags flags, TraceState state)
            implements SpanContext {
        @Override
        public String getTraceId() {
            return traceId;
        }

        @Override
        public String getSpanId() {
            return spanId;
        }

        @Override
        public TraceFlags getTraceFlags() {
            return flags;
        }

        @Override
        public TraceState getTraceState() {
            return state;
        }

        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public boolean isRemote() {
            return false;
        }
    }
}
