package dev.rlm.sinks.otel.backend;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringArrayKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The receiver, driven by the SDK's own exporters. */
class OtlpReceiverTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(START.getEpochSecond());

    private static final Attributes AIR = Attributes.of(stringKey("environment"), "air");

    private OtlpReceiver receiver;

    @BeforeEach
    void start() throws IOException {
        receiver = OtlpReceiver.start();
    }

    @AfterEach
    void stop() {
        receiver.close();
    }

    @ParameterizedTest
    @CsvSource({"grpc,none", "grpc,gzip", "http/protobuf,none", "http/protobuf,gzip"})
    void spans_sent_areShownWhole(String protocol, String compression) {
        try (OpenTelemetrySdk sdk = sdk(protocol, compression)) {
            Span parent = sendParentAndChild(sdk.getTracer("smoke"));

            List<OtlpSpan> spans = receiver.awaitSpans(2);

            assertThat(spans).extracting(OtlpSpan::name).containsExactly("child", "parent");
            assertThat(spans.get(1).parentId()).isEmpty();
            OtlpSpan child = spans.get(0);
            assertThat(child.resource()).containsEntry("service.name", "smoke-service");
            assertThat(child.flags() & 1).isEqualTo(1);
            assertThat(child).isEqualTo(expectedChild(parent.getSpanContext(), child));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void numbers_sent_areShownPointByPoint(String protocol) {
        try (OpenTelemetrySdk sdk = sdk(protocol, "gzip")) {
            Span span = sdk.getTracer("smoke").spanBuilder("span").startSpan();
            Meter meter = sdk.getMeter("smoke");
            LongCounter counter = meter.counterBuilder("runs")
                    .setUnit("1")
                    .setDescription("Runs")
                    .build();
            counter.add(3, AIR, Context.root().with(span));
            meter.upDownCounterBuilder("active").build().add(-2);
            meter.gaugeBuilder("loss").build().set(0.25);
            sdk.getSdkMeterProvider().forceFlush().join(10, TimeUnit.SECONDS);

            OtlpNumber runs = receiver.numbers("runs").get(0);
            assertThat(runs.value()).isEqualTo(3L);
            assertThat(runs.attributes()).containsExactly(entry("environment", "air"));
            assertThat(runs.metric()).isEqualTo(runsCounter(runs));
            assertThat(runs.exemplars())
                    .singleElement()
                    .returns(span.getSpanContext().getTraceId(), OtlpExemplar::traceId)
                    .returns(span.getSpanContext().getSpanId(), OtlpExemplar::spanId);
            OtlpNumber active = receiver.numbers("active").get(0);
            assertThat(active.value()).isEqualTo(-2L);
            assertThat(active.metric().monotonic()).isFalse();
            OtlpNumber loss = receiver.numbers("loss").get(0);
            assertThat(loss.value()).isEqualTo(0.25);
            assertThat(loss.metric().kind()).isEqualTo(OtlpMetric.Kind.GAUGE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void histogram_sent_isShownWithItsBuckets(String protocol) {
        try (OpenTelemetrySdk sdk = sdk(protocol, "none")) {
            Span span = sdk.getTracer("smoke").spanBuilder("span").startSpan();
            DoubleHistogram duration = sdk.getMeter("smoke")
                    .histogramBuilder("duration")
                    .setExplicitBucketBoundariesAdvice(List.of(1.0, 2.0))
                    .build();
            duration.record(0.5, AIR, Context.root().with(span));
            duration.record(4, AIR, Context.root().with(span));
            sdk.getSdkMeterProvider().forceFlush().join(10, TimeUnit.SECONDS);

            OtlpHistogram seen = receiver.histograms("duration").get(0);
            assertThat(seen.metric().kind()).isEqualTo(OtlpMetric.Kind.HISTOGRAM);
            assertThat(seen.metric().temporality()).isEqualTo(OtlpMetric.Temporality.CUMULATIVE);
            assertThat(seen.count()).isEqualTo(2);
            assertThat(seen.sum()).isEqualTo(4.5);
            assertThat(seen.min()).isEqualTo(0.5);
            assertThat(seen.max()).isEqualTo(4);
            assertThat(seen.bounds()).containsExactly(1.0, 2.0);
            assertThat(seen.counts()).containsExactly(1L, 0L, 1L);
            assertThat(seen.exemplars()).extracting(OtlpExemplar::value).containsExactlyInAnyOrder(0.5, 4.0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void logs_sent_areShown(String protocol) {
        try (OpenTelemetrySdk sdk = sdk(protocol, "none")) {
            sdk.getLogsBridge()
                    .get("smoke")
                    .logRecordBuilder()
                    .setTimestamp(START)
                    .setSeverity(Severity.WARN)
                    .setBody("hello")
                    .setAttribute(longKey("step"), 3L)
                    .emit();

            receiver.await(seen -> !seen.logs().isEmpty());

            assertThat(receiver.logs())
                    .singleElement()
                    .returns("hello", OtlpLog::body)
                    .returns(START_NANOS, OtlpLog::timeNanos)
                    .returns(13, OtlpLog::severity)
                    .returns(Map.of("step", 3L), OtlpLog::attributes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void refusal_ofOneSignal_leavesTheOthersAlone(String protocol) {
        receiver.answer(OtlpSignal.METRICS, OtlpAnswer.REFUSE);
        try (OpenTelemetrySdk sdk = sdk(protocol, "none")) {
            sdk.getMeter("smoke").counterBuilder("runs").build().add(1);
            sdk.getTracer("smoke").spanBuilder("span").startSpan().end();
            sdk.getSdkMeterProvider().forceFlush().join(10, TimeUnit.SECONDS);

            receiver.awaitSpans(1);

            assertThat(receiver.requests(OtlpSignal.METRICS))
                    .singleElement()
                    .satisfies(request -> assertThat(request.points()).isNotEmpty());
            assertThat(receiver.points()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void failure_thatPasses_isOvercomeByRetry(String protocol) {
        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.UNAVAILABLE);
        try (OpenTelemetrySdk sdk = sdk(protocol, "none")) {
            sdk.getTracer("smoke").spanBuilder("span").startSpan().end();
            receiver.await(seen -> !seen.requests().isEmpty());
            assertThat(receiver.spans()).isEmpty();

            receiver.answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);

            assertThat(receiver.awaitSpans(1)).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void hanging_untilAnswered_holdsTheExport(String protocol) {
        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
        try (OpenTelemetrySdk sdk = sdk(protocol, "none")) {
            sdk.getTracer("smoke").spanBuilder("span").startSpan().end();
            CompletableResultCode flush = sdk.getSdkTracerProvider().forceFlush();
            receiver.await(seen -> !seen.requests().isEmpty());
            assertThat(flush.isDone()).isFalse();

            receiver.answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);

            assertThat(flush.join(10, TimeUnit.SECONDS).isSuccess()).isTrue();
            assertThat(receiver.spans("span")).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void headers_sent_areKept(String protocol) {
        try (OpenTelemetrySdk sdk = sdk(protocol, "none")) {
            sdk.getTracer("smoke").spanBuilder("span").startSpan().end();
            receiver.awaitSpans(1);

            OtlpRequest request = receiver.requests(OtlpSignal.TRACES).get(0);
            assertThat(request.protocol()).isEqualTo(protocol);
            assertThat(request.headers()).containsEntry("x-team", "blue").containsKey("content-type");
        }
    }

    @Test
    void bodyThatIsNoProtobuf_isRejected() throws Exception {
        HttpResponse<Void> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(receiver.httpEndpoint() + "/v1/traces"))
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(receiver.requests()).isEmpty();
    }

    private static Span sendParentAndChild(Tracer tracer) {
        Span parent = tracer.spanBuilder("parent").setStartTimestamp(START).startSpan();
        Span child = tracer.spanBuilder("child")
                .setParent(Context.root().with(parent))
                .setSpanKind(SpanKind.CLIENT)
                .setStartTimestamp(START.plusNanos(5))
                .setAttribute("text", "a")
                .setAttribute("number", -2L)
                .setAttribute("ratio", 0.5)
                .setAttribute("flag", true)
                .setAttribute(stringArrayKey("list"), List.of("x", "y"))
                .addLink(parent.getSpanContext())
                .startSpan();
        child.addEvent("output", Attributes.of(stringKey("output"), "4"), START.plusNanos(7));
        child.setStatus(StatusCode.ERROR, "no").end(START.plusNanos(9));
        parent.end(START.plusNanos(10));
        return parent;
    }

    /** The child as it was sent, with what the SDK alone knows taken from {@code seen}. */
    private static OtlpSpan expectedChild(SpanContext parent, OtlpSpan seen) {
        return new OtlpSpan(
                seen.resource(),
                "smoke",
                parent.getTraceId(),
                seen.spanId(),
                parent.getSpanId(),
                "child",
                SpanKind.CLIENT,
                START_NANOS + 5,
                START_NANOS + 9,
                Map.of("text", "a", "number", -2L, "ratio", 0.5, "flag", true, "list", List.of("x", "y")),
                List.of(new OtlpSpan.Event("output", START_NANOS + 7, Map.of("output", "4"))),
                List.of(new OtlpSpan.Link(parent.getTraceId(), parent.getSpanId(), Map.of())),
                StatusCode.ERROR,
                "no",
                seen.flags(),
                seen.traceState());
    }

    private static OtlpMetric runsCounter(OtlpNumber seen) {
        return new OtlpMetric(
                seen.metric().resource(),
                "smoke",
                "runs",
                "Runs",
                "1",
                OtlpMetric.Kind.SUM,
                OtlpMetric.Temporality.CUMULATIVE,
                true);
    }

    private OpenTelemetrySdk sdk(String protocol, String compression) {
        String endpoint = protocol.equals("grpc") ? receiver.grpcEndpoint() : receiver.httpEndpoint();
        return AutoConfiguredOpenTelemetrySdk.builder()
                .addPropertiesSupplier(() -> Map.of(
                        "otel.service.name", "smoke-service",
                        "otel.exporter.otlp.endpoint", endpoint,
                        "otel.exporter.otlp.protocol", protocol,
                        "otel.exporter.otlp.compression", compression,
                        "otel.exporter.otlp.headers", "x-team=blue",
                        "otel.bsp.schedule.delay", "10",
                        "otel.blrp.schedule.delay", "10",
                        "otel.metric.export.interval", "600000"))
                .build()
                .getOpenTelemetrySdk();
    }
}
