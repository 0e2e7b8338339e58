package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import org.junit.jupiter.api.Test;

class FixedIdsTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    private final FixedIds ids = new FixedIds(true);

    @Test
    void span_thatWasNotAnnounced_doesNotTakeTheIdsOfTheOneBefore() {
        try (SdkTracerProvider provider = SdkTracerProvider.builder()
                .setIdGenerator(ids)
                .setSampler(ids.wrap(Sampler.alwaysOn()))
                .addSpanProcessor(SimpleSpanProcessor.create(SpanExporter.composite()))
                .build()) {
            Tracer tracer = provider.get("test");
            ids.next(TRACE, SPAN, SamplingResult.recordAndSample());

            assertThat(tracer.spanBuilder("announced").startSpan().getSpanContext())
                    .returns(TRACE, SpanContext::getTraceId)
                    .returns(SPAN, SpanContext::getSpanId);
            SpanBuilder other = tracer.spanBuilder("not announced");
            assertThatThrownBy(other::startSpan).isInstanceOf(IllegalStateException.class);
        }
    }
}
