package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.mapping.SpanAttributes;
import dev.rlm.sinks.otel.spans.Ids;
import dev.rlm.sinks.otel.spans.OpenRun;
import dev.rlm.sinks.otel.spans.OwnSpan;
import dev.rlm.sinks.otel.spans.Part;
import dev.rlm.sinks.otel.spans.Traceparent;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.internal.ImmutableSpanContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A run in the sink's own SDK: its ids and its sampling are known before its span is started. */
final class OwnRun extends OpenRun {
    private final OwnSdk sdk;
    private final Ids ids;
    private final @Nullable String spanId; // of the run, where it does not follow from its id
    private final Resource resource;
    private final Map<Long, String> originals =
            new ConcurrentHashMap<>(0); // ids of work by seq, where they do not either
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
        OriginalSpan original = info.originalSpan();
        spanId = original == null ? null : original.spanId();
        boolean isItself = remote.getSpanId().equals(spanId);
        resource = resource(original, sdk.export().resource());
        parent = isItself ? Span.getInvalid() : Span.fromContext(context);
        traceId = remote.isValid() ? remote.getTraceId() : ids.traceId();
        SamplingResult sampling = sdk.sampler()
                .shouldSample(context, traceId, Part.RUN_NAME, SpanKind.INTERNAL, Attributes.empty(), List.of());
        flags = TraceFlags.builder()
                .setSampled(sampling.getDecision() == SamplingDecision.RECORD_AND_SAMPLE)
                .setRandomTraceId(remote.getTraceFlags().isTraceIdRandom())
                .build();
        state = sampling.getUpdatedTraceState(remote.getTraceState());
        ofSampler = sampling.getAttributes();
    }

    /** One that has ended, with the trace and the sampling that it had. */
    OwnRun(RunInfo info, Attributes baggage, OwnSdk sdk, SpanContext ended) {
        super(info, baggage);
        this.sdk = sdk;
        ids = Ids.of(info.runId());
        spanId = ended.getSpanId();
        resource = resource(info.originalSpan(), sdk.export().resource());
        parent = Span.getInvalid();
        traceId = ended.getTraceId();
        flags = ended.getTraceFlags();
        state = ended.getTraceState();
        ofSampler = Attributes.empty();
    }

    /** Returns that which the span had elsewhere; the usual one where it was not elsewhere, or tells none of its own. */
    private static Resource resource(@Nullable OriginalSpan original, Resource usual) {
        if (original == null || original.resource().isEmpty()) {
            return usual;
        }
        AttributesBuilder attributes = Attributes.builder();
        SpanAttributes fields = SpanAttributes.of(attributes);
        original.resource().forEach(fields::any);
        return Resource.create(attributes.build());
    }

    @Override
    protected Span startRun() {
        return startRun(parent).setAllAttributes(ofSampler);
    }

    @Override
    public Span current() {
        return wrapped(spanId == null ? ids.spanId(Ids.Kind.RUN, 1) : spanId);
    }

    @Override
    protected Span current(StepStarted step) {
        return wrapped(ids.spanId(Ids.Kind.STEP, step.seq()));
    }

    @Override
    protected Span current(Place place, Place.Work work) {
        return work(work.seq());
    }

    @Override
    protected Span work(long seq) {
        String original = originals.get(seq);
        return wrapped(original == null ? ids.spanId(Ids.Kind.WORK, seq) : original);
    }

    /** Starts nothing where it would not be sent; without an exporter its parent is handed on, as by OpenTelemetry's no-op. */
    @Override
    protected Span start(Part part, Span above, List<SpanContext> links) {
        OriginalSpan original = part.original();
        if (original != null && part.kind() == Ids.Kind.WORK) {
            originals.put(part.seq(), original.spanId());
        }
        SpanContext context = context(original == null ? ids.spanId(part.kind(), part.seq()) : original.spanId());
        if (sdk.export().spans() == null) {
            return Span.wrap(above.getSpanContext());
        } else if (!flags.isSampled()) {
            return Span.wrap(context);
        }
        return new OwnSpan(
                        resource(original, resource),
                        sdk.export().scope(),
                        sdk.limits(),
                        part,
                        context,
                        above.getSpanContext(),
                        links)
                .setAllAttributes(baggage());
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
