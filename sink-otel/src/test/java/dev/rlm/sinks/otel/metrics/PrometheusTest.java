package dev.rlm.sinks.otel.metrics;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.PrometheusSeries;
import dev.rlm.sinks.otel.backend.PrometheusServer;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a real Prometheus makes of rewards, some of them negative. */
@Tag("thorough")
class PrometheusTest {
    private static final double[] REWARDS = {1, -0.05, 0, -1, 2.5, -20, 0.3, 100};

    @RegisterExtension
    private static final PrometheusServer prometheus = PrometheusServer.create();

    @Tag("smoke")
    @Test
    void rewards_areNamedAndCountedAlike_byAnSdkOfTheSinkAndByAnInjectedOne() {
        record("own", own());
        try (OpenTelemetrySdk sdk = injected()) {
            record("injected", OtelSink.builder().openTelemetry(sdk).build());
        }

        Map<String, Double> own = figures("own");
        assertThat(figures("injected")).isEqualTo(own);
        assertThat(own)
                .containsEntry("rlm_reward_count", 8.0)
                .containsEntry("rlm_reward_sum", 82.75)
                .containsEntry("rlm_reward_bucket -0.001", 3.0)
                .containsEntry("rlm_reward_bucket 0", 4.0)
                .containsEntry("rlm_reward_bucket +Inf", 8.0)
                .containsEntry("rlm_run_reward_count", 1.0)
                .containsEntry("rlm_run_reward_sum", 82.75)
                .containsEntry("rlm_run_reward_bucket 10", 0.0)
                .containsEntry("rlm_run_reward_bucket +Inf", 1.0);
    }

    /** All figures of the rewards in an environment, by name and bucket. */
    private static Map<String, Double> figures(String environment) {
        return prometheus.query("{__name__=~\"rlm_(run_)?reward_.*\", environment=\"" + environment + "\"}").stream()
                .collect(toMap(PrometheusTest::name, PrometheusSeries::value));
    }

    private static String name(PrometheusSeries series) {
        String name = Objects.requireNonNull(series.labels().get("__name__"));
        String bound = series.labels().get("le");
        return bound == null ? name : name + " " + bound;
    }

    private static void record(String environment, OtelSink sink) {
        try (Sinks sinks = Sinks.builder().add("otel", sink).build();
                Run run = sinks.startRun(
                        RunSpec.builder(environment).runId(environment).build())) {
            for (double reward : REWARDS) {
                run.reward(reward);
            }
            run.complete("");
        }
    }

    private static OtelSink own() {
        Map<String, String> properties = Map.of(
                "OTEL_TRACES_EXPORTER",
                "none",
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                Rig.HTTP,
                "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
                prometheus.metricsEndpoint());
        return OtelSink.builder().config(SinkConfig.of(properties).sink("otel")).build();
    }

    private static OpenTelemetrySdk injected() {
        OtlpHttpMetricExporter exporter = OtlpHttpMetricExporter.builder()
                .setEndpoint(prometheus.metricsEndpoint())
                .build();
        return OpenTelemetrySdk.builder()
                .setMeterProvider(SdkMeterProvider.builder()
                        .registerMetricReader(PeriodicMetricReader.builder(exporter)
                                .setInterval(Duration.ofHours(1))
                                .build())
                        .build())
                .build();
    }
}
