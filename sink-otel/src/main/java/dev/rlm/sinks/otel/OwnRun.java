package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.internal.ImmutableSpanContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A run in the sink's own SDK: its ids and its sampling are known before its span is started. */
final class OwnRun extends OpenRun {
    private final OwnSdk sdk;
    private final Ids ids;
    private final @Nullable String spanId; // of the run, where it has that of another program's span
    private final Span parent;
    private final String traceId;
    private final TraceFlags flags;
    private final TraceState state;
    private final Attributes ofSampler;

    OwnRun(RunInfo info, Attributes baggage, OwnSdk sdk) {
        super(info, baggage);
        this.sdk = sdk;
        ids = Ids.of(info.runId());
        Context context = sdk.isJoining() ? Traceparent.context(info.parent()) : Context.root();
        SpanContext remote = Span.fromContext(context).getSpanContext();
        TraceContext told = info.parent();
        boolean isItself = told != null && TraceContext.OF_THE_RUN.equals(told.tracestate());
        spanId = isItself && remote.isValid() ? remote.getSpanId() : null;
        parent = isItself ? Span.getInvalid() : Span.fromContext(context);
        traceId = remote.isValid() ? remote.getTraceId() : ids.traceId();
        SamplingResult sampling = sdk.sampler()
                .shouldSample(context, traceId, Part.RUN_NAME, SpanKind.INTERNAL, Attributes.empty(), List.of());
        flags = TraceFlags.builder()
                .setSampled(sampling.getDecision() == SamplingDecision.RECORD_AND_SAMPLE)
                .setRandomTraceId(remote.getTraceFlags().isTraceIdRandom())
                .build();
        state = isItself ? TraceState.getDefault() : sampling.getUpdatedTraceState(remote.getTraceState());
        ofSampler = sampling.getAttributes();
    }

    /** One that has ended, with the trace and the sampling that it had. */
    OwnRun(RunInfo info, Attributes baggage, OwnSdk sdk, SpanContext ended) {
        super(info, baggage);
        this.sdk = sdk;
        ids = Ids.of(info.runId());
        spanId = ended.getSpanId();
        parent = Span.getInvalid();
        traceId = ended.getTraceId();
        flags = ended.getTraceFlags();
        state = ended.getTraceState();
        ofSampler = Attributes.empty();
    }

    @Override
    Span startRun() {
        return startRun(parent).setAllAttributes(ofSampler);
    }

    @Override
    Span current() {
        return wrapped(id(Ids.Kind.RUN, 1));
    }

    @Override
    Span current(StepStarted step) {
        return wrapped(ids.spanId(Ids.Kind.STEP, step.seq()));
    }

    @Override
    Span current(Place place, Place.Work work) {
        return work(work.seq());
    }

    @Override
    Span work(long seq) {
        return wrapped(ids.spanId(Ids.Kind.WORK, seq));
    }

    /** Starts nothing where it would not be sent; without an exporter its parent is handed on, as by OpenTelemetry's no-op. */
    @Override
    Span start(Part part, Span above, List<SpanContext> links) {
        SpanContext context = context(id(part.kind(), part.seq()));
        if (sdk.export().spans() == null) {
            return Span.wrap(above.getSpanContext());
        } else if (!flags.isSampled()) {
            return Span.wrap(context);
        }
        return new OwnSpan(
                        sdk.export().resource(),
                        sdk.export().scope(),
                        sdk.limits(),
                        part,
                        context,
                        above.getSpanContext(),
                        links)
                .setAllAttributes(baggage());
    }

    private String id(Ids.Kind kind, long seq) {
        return kind == Ids.Kind.RUN && spanId != null ? spanId : ids.spanId(kind, seq);
    }

    /**
     * With its ids alone: what one SDK makes of a span is no other's to understand, so that a Java agent, which minds the
     * contexts of a process, would lose it.
     */
    private Span wrapped(String spanId) {
        return Span.wrap(context(spanId));
    }

    /**
     * Returns the context of a span of this run. It skips the check of ids made here, because every scope needs one.
     */
    private SpanContext context(String spanId) {
        return ImmutableSpanContext.create(traceId, spanId, flags, state, false, true);
    }
}
