package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.FlushResult;
import dev.rlm.sinks.event.MetricsReported;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsPartialSuccess;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Numbers of training that come as metrics, and metrics of other matters. */
@Timeout(180)
class CollectMetricsTest {
    private static final MetricsReported TRAINER =
            new MetricsReported(Instant.EPOCH, "trainer", "global_step", Map.of("global_step", 7.0, "loss", 0.5));
    private static final MetricsReported OTHERS =
            new MetricsReported(Instant.EPOCH, "critic", "step", Map.of("step", 3.0, "loss", -1.0));

    @TempDir
    private Path folder;

    private static ExportMetricsPartialSuccess send(RunningCollector collector, Metric... metrics) throws Exception {
        byte[] request = ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .addScopeMetrics(ScopeMetrics.newBuilder().addAllMetrics(List.of(metrics))))
                .build()
                .toByteArray();
        HttpResponse<byte[]> response =
                collector.post("/v1/metrics", request, "Content-Type", "application/x-protobuf");
        assertThat(response.statusCode()).isEqualTo(200);
        return ExportMetricsServiceResponse.parseFrom(response.body()).getPartialSuccess();
    }

    private static NumberDataPoint.Builder point(int second) {
        return NumberDataPoint.newBuilder().setTimeUnixNano(Otlp.START + second * 1_000_000_000L);
    }

    private static Metric gauge(String name, NumberDataPoint.Builder point) {
        return Metric.newBuilder()
                .setName(name)
                .setGauge(Gauge.newBuilder().addDataPoints(point))
                .build();
    }

    @Test
    void numbersOfTraining_thatOurOwnGaugesSend_areEventsAgain() throws Exception {
        try (RunningCollector collector = RunningCollector.start(folder)) {
            FlushResult flushed = collector.sendNumbers(
                    Map.of(
                            "OTEL_EXPORTER_OTLP_ENDPOINT",
                            collector.url(),
                            "OTEL_EXPORTER_OTLP_PROTOCOL",
                            "http/protobuf"),
                    TRAINER,
                    OTHERS.categorized());
            assertThat(flushed.isComplete()).isTrue();
            await().atMost(RunningCollector.PATIENCE)
                    .untilAsserted(() -> assertThat(collector.numbers())
                            .usingRecursiveFieldByFieldElementComparatorIgnoringFields("time")
                            .containsExactlyInAnyOrder(TRAINER, OTHERS.categorized()));
            collector.stop();
            assertThat(collector.err()).contains("; numbers of training 2 times");
        }
    }

    @Test
    void numbersOfTraining_thatStand_areThereOnce_andNewOnesToo() throws Exception {
        try (RunningCollector collector = RunningCollector.start(folder)) {
            for (int second : new int[] {1, 2, 2}) {
                assertThat(send(
                                collector,
                                gauge("rlm.trainer.global_step", point(second).setAsInt(7)),
                                gauge("rlm.trainer.loss", point(second).setAsDouble(0.5))))
                        .isEqualTo(ExportMetricsPartialSuccess.getDefaultInstance());
            }
            send(
                    collector,
                    gauge("rlm.trainer.global_step", point(3).setAsInt(8)),
                    gauge("rlm.trainer.loss", point(3).setAsDouble(0.5)));
            assertThat(collector.numbers())
                    .containsExactly(
                            new MetricsReported(
                                    Instant.ofEpochSecond(0, Otlp.START).plusSeconds(1),
                                    "trainer",
                                    "global_step",
                                    TRAINER.values()),
                            new MetricsReported(
                                    Instant.ofEpochSecond(0, Otlp.START).plusSeconds(3),
                                    "trainer",
                                    "global_step",
                                    Map.of("global_step", 8.0, "loss", 0.5)));
        }
    }

    @Test
    void metricsOfOtherMatters_areCountedAsRejected() throws Exception {
        KeyValue label = KeyValue.newBuilder()
                .setKey("rank")
                .setValue(AnyValue.newBuilder().setIntValue(1))
                .build();
        HistogramDataPoint tokens =
                HistogramDataPoint.newBuilder().addBucketCounts(1).setCount(1).build();
        try (RunningCollector collector = RunningCollector.start(folder)) {
            ExportMetricsPartialSuccess told = send(
                    collector,
                    Metric.newBuilder()
                            .setName("db.client.operation.duration")
                            .setHistogram(Histogram.newBuilder().addDataPoints(tokens))
                            .build(),
                    Metric.newBuilder()
                            .setName("requests")
                            .setSum(Sum.newBuilder().addDataPoints(point(1).setAsInt(1)))
                            .build(),
                    gauge("rlm.trainer.loss", point(1).setAsDouble(1).addAttributes(label)));
            assertThat(told.getRejectedDataPoints()).isEqualTo(3);
            assertThat(told.getErrorMessage()).startsWith("of metrics only gauges and sums without attributes");

            told = send(collector, gauge("rlm.runs", point(1).setAsInt(1)));
            assertThat(told.getRejectedDataPoints()).isZero();
            assertThat(told.getErrorMessage()).endsWith("are not kept, since spans tell the same");

            told = send(collector, gauge("rlm.trainer.loss", point(1).setAsDouble(1)));
            assertThat(told.getRejectedDataPoints()).isEqualTo(1);
            assertThat(told.getErrorMessage()).contains("need one that says how far it is: timesteps, policy_version");

            String json = "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"cpu\",\"gauge\":"
                    + "{\"dataPoints\":[{\"timeUnixNano\":\"" + Otlp.START + "\",\"asDouble\":1}]}}]}]}]}";
            assertThat(new String(
                            collector
                                    .post(
                                            "/v1/metrics",
                                            json.getBytes(StandardCharsets.UTF_8),
                                            "Content-Type",
                                            "application/json")
                                    .body(),
                            StandardCharsets.UTF_8))
                    .contains("\"rejectedDataPoints\":\"1\"");
        }
    }
}
