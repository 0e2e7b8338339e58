package dev.rlm.sinks.otel.backend;

import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real Jaeger and its client, driven by the SDK's own exporters. */
@Tag("thorough")
class JaegerServerTest {
    @RegisterExtension
    private static final JaegerServer jaeger = JaegerServer.create();

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS);

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void trace_sent_isFound(String protocol) {
        String service = "smoke-" + protocol;
        String traceId;
        try (OpenTelemetrySdk sdk = sdk(protocol, service)) {
            traceId = sendTrace(sdk.getTracer("smoke"));
        }

        JaegerTrace trace = jaeger.awaitTrace(traceId, 2);

        assertThat(jaeger.services()).contains(service);
        assertThat(jaeger.awaitTraces(service, 1))
                .extracting(JaegerTrace::traceId)
                .containsExactly(traceId);
        assertThat(trace.warnings()).isEmpty();
        JaegerSpan parent = trace.spans("parent").get(0);
        JaegerSpan child = trace.spans("child").get(0);
        assertThat(parent.parentId()).isEmpty();
        assertThat(child.parentId()).isEqualTo(parent.spanId());
        assertThat(child.service()).isEqualTo(service);
        assertThat(child.process()).containsEntry("team", "blue");
        assertThat(child.startMicros()).isEqualTo(start.toEpochMilli() * 1000);
        assertThat(child.durationMicros()).isEqualTo(300_000);
        assertThat(child.tags())
                .containsEntry("reward", -0.5)
                .containsEntry("step", 3L)
                .containsEntry("success", false)
                .containsEntry("otel.status_description", "no");
        assertThat(child.logs())
                .singleElement()
                .satisfies(log -> assertThat(log.fields())
                        .containsEntry("event", "output")
                        .containsEntry("output", "4"));
    }

    @Test
    void spanWithoutLength_isWarnedOf() {
        try (OpenTelemetrySdk sdk = sdk("grpc", "smoke-warning")) {
            Span span = sdk.getTracer("smoke")
                    .spanBuilder("empty")
                    .setStartTimestamp(start)
                    .startSpan();
            span.end(start);
        }

        assertThat(jaeger.awaitTraces("smoke-warning", 1))
                .singleElement()
                .satisfies(trace -> assertThat(trace.warnings()).isNotEmpty());
    }

    @Test
    void traceNeverSent_isAbsent() {
        assertThat(jaeger.trace("0123456789abcdef0123456789abcdef")).isEmpty();
        assertThat(jaeger.traces("nobody", 10)).isEmpty();
    }

    private String sendTrace(Tracer tracer) {
        Span parent = tracer.spanBuilder("parent").setStartTimestamp(start).startSpan();
        Span child = tracer.spanBuilder("child")
                .setParent(Context.root().with(parent))
                .setStartTimestamp(start)
                .setAttribute("reward", -0.5)
                .setAttribute("step", 3L)
                .setAttribute("success", false)
                .startSpan();
        child.addEvent("output", Attributes.of(stringKey("output"), "4"), start.plusMillis(1));
        child.setStatus(StatusCode.ERROR, "no").end(start.plus(Duration.ofMillis(300)));
        parent.end(start.plusMillis(301));
        return parent.getSpanContext().getTraceId();
    }

    private static OpenTelemetrySdk sdk(String protocol, String service) {
        String endpoint = protocol.equals("grpc") ? jaeger.grpcEndpoint() : jaeger.httpEndpoint();
        return AutoConfiguredOpenTelemetrySdk.builder()
                .addPropertiesSupplier(() -> Map.of(
                        "otel.service.name",
                        service,
                        "otel.resource.attributes",
                        "team=blue",
                        "otel.exporter.otlp.endpoint",
                        endpoint,
                        "otel.exporter.otlp.protocol",
                        protocol,
                        "otel.metrics.exporter",
                        "none",
                        "otel.logs.exporter",
                        "none"))
                .build()
                .getOpenTelemetrySdk();
    }
}
