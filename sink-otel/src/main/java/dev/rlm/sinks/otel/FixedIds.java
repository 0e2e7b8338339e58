package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives the sink's own SDK the ids and the sampling decision for the span that is started next, which are known
 * beforehand. Each is good for one span: one that was not announced cannot be started, rather than take another's id. The
 * user's sampler is asked once a run.
 */
final class FixedIds implements IdGenerator, Sampler {
    private final boolean joining;
    private volatile Sampler userSampler = Sampler.alwaysOn();
    private @Nullable Next next; // on the lane only, which is the thread that starts spans

    /** Where runs join the traces of their remote parents, or are all traces of their own. */
    FixedIds(boolean joining) {
        this.joining = joining;
    }

    /** Whether a run joins the trace of its remote parent. */
    boolean isJoining() {
        return joining;
    }

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
        next = new Next(trace, span, sampling);
    }

    private Next next() {
        Next announced = next;
        if (announced == null) {
            throw new IllegalStateException("a span is started that was not announced");
        }
        return announced;
    }

    @Override
    public String generateTraceId() {
        return next().trace();
    }

    @Override
    public String generateSpanId() {
        return next().span();
    }

    /** Asked last when a span is started: what was announced is used up. */
    @Override
    public SamplingResult shouldSample(
            Context parent, String trace, String name, SpanKind kind, Attributes attributes, List<LinkData> links) {
        SamplingResult decision = next().sampling();
        next = null;
        return decision;
    }

    @Override
    public String getDescription() {
        return "OncePerRun{" + userSampler.getDescription() + "}";
    }

    private record Next(String trace, String span, SamplingResult sampling) {}
}
