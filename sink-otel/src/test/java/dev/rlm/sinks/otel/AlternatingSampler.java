package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.traces.ConfigurableSamplerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** {@code OTEL_TRACES_SAMPLER=alternating}: takes the first, the third, the fifth that it is asked for. */
public final class AlternatingSampler implements ConfigurableSamplerProvider, Sampler {
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public Sampler createSampler(ConfigProperties config) {
        return new AlternatingSampler();
    }

    @Override
    public String getName() {
        return "alternating";
    }

    @Override
    public SamplingResult shouldSample(
            Context parent, String trace, String name, SpanKind kind, Attributes attributes, List<LinkData> links) {
        return asked.getAndIncrement() % 2 == 0 ? SamplingResult.recordAndSample() : SamplingResult.drop();
    }

    @Override
    public String getDescription() {
        return getName();
    }
}
