package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives the sink's own SDK the ids and the sampling decision for the span that is started next, which are known
 * beforehand. The user's sampler is asked once a run.
 */
final class FixedIds implements IdGenerator, Sampler {
    private volatile Sampler userSampler = Sampler.alwaysOn();

    // Set and used on the lane's thread only, which is the one that starts spans.
    private @Nullable String traceId;
    private @Nullable String spanId;
    private SamplingResult decision = SamplingResult.recordAndSample();

    Sampler wrap(Sampler sampler) {
        userSampler = sampler;
        return this;
    }

    /** What the user's sampler says of a run's root span. */
    SamplingResult ask(Context parent, String trace, String name) {
        return userSampler.shouldSample(parent, trace, name, SpanKind.INTERNAL, Attributes.empty(), List.of());
    }

    /** The ids and the decision for the next span. */
    void next(String trace, String span, SamplingResult sampling) {
        traceId = trace;
        spanId = span;
        decision = sampling;
    }

    @Override
    public String generateTraceId() {
        return Objects.requireNonNull(traceId, "no id was set");
    }

    @Override
    public String generateSpanId() {
        return Objects.requireNonNull(spanId, "no id was set");
    }

    @Override
    public SamplingResult shouldSample(
            Context parent, String trace, String name, SpanKind kind, Attributes attributes, List<LinkData> links) {
        return decision;
    }

    @Override
    public String getDescription() {
        return "OncePerRun{" + userSampler.getDescription() + "}";
    }
}
