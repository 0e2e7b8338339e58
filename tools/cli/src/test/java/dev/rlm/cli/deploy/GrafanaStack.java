package dev.rlm.cli.deploy;

import dev.rlm.sinks.otel.backend.CollectorServer;
import dev.rlm.sinks.otel.backend.OtlpLog;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.PrometheusServer;
import dev.rlm.sinks.otel.backend.TempoServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What {@code deploy/grafana} starts, with the configurations that lie there, without Grafana's pages, and with a receiver in Loki's place. */
final class GrafanaStack implements AutoCloseable {
    static final Path FOLDER = Path.of("..", "..", "deploy", "grafana");

    private final TempoServer tempo;
    private final PrometheusServer prometheus;
    private final OtlpReceiver loki;
    private final CollectorServer collector;

    private GrafanaStack(TempoServer tempo, PrometheusServer prometheus, OtlpReceiver loki, CollectorServer collector) {
        this.tempo = tempo;
        this.prometheus = prometheus;
        this.loki = loki;
        this.collector = collector;
    }

    static GrafanaStack start() throws IOException {
        TempoServer tempo = TempoServer.start(FOLDER.resolve("tempo.yaml"));
        try {
            PrometheusServer prometheus = PrometheusServer.start(FOLDER.resolve("prometheus.yml"));
            OtlpReceiver loki = OtlpReceiver.start();
            try {
                Map<String, String> targets = Map.of(
                        "TEMPO_ENDPOINT", tempo.httpEndpoint(),
                        "PROMETHEUS_ENDPOINT", prometheus.otlpEndpoint(),
                        "LOKI_ENDPOINT", loki.httpEndpoint());
                return new GrafanaStack(
                        tempo, prometheus, loki, CollectorServer.start(FOLDER.resolve("collector.yaml"), targets));
            } catch (Throwable e) {
                loki.close();
                prometheus.close();
                throw e;
            }
        } catch (Throwable e) {
            tempo.close();
            throw e;
        }
    }

    TempoServer tempo() {
        return tempo;
    }

    PrometheusServer prometheus() {
        return prometheus;
    }

    /** What Loki would have got. */
    List<OtlpLog> logs() {
        return loki.logs();
    }

    /** The one address that a user sets. */
    String endpoint() {
        return collector.httpEndpoint();
    }

    @Override
    public void close() {
        collector.close();
        loki.close();
        prometheus.close();
        tempo.close();
    }
}
