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

/** A sampler, {@code record_only}, by whose word spans are recorded and not sent. */
public final class RecordOnlySampler implements ConfigurableSamplerProvider, Sampler {
    @Override
    public String getName() {
        return "record_only";
    }

    @Override
    public Sampler createSampler(ConfigProperties config) {
        return this;
    }

    @Override
    public SamplingResult shouldSample(
            Context parent, String trace, String name, SpanKind kind, Attributes attributes, List<LinkData> links) {
        return SamplingResult.recordOnly();
    }

    @Override
    public String getDescription() {
        return getName();
    }
}
