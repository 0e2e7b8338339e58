package dev.rlm.sinks.otel.backend;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A real Prometheus 3 ({@code PROMETHEUS_BIN}), which takes metrics by OTLP over HTTP and keeps them in its folder. */
public final class PrometheusServer extends Backend {
    private static final Port HTTP = new Port("HTTP", 9090);
    private static final String CONFIG = "prometheus.yml";

    private final JsonClient client = new JsonClient();

    private PrometheusServer(String config) {
        super(new Program(
                "Prometheus",
                "PROMETHEUS_BIN",
                "prom/prometheus:v3.5.0",
                List.of(HTTP),
                "/-/ready",
                200,
                Map.of(CONFIG, config),
                Map.of(),
                place -> List.of(
                        "--config.file=" + place.file(CONFIG),
                        "--storage.tsdb.path=" + place.file("metrics"),
                        "--web.listen-address=" + place.address() + ":" + place.port(HTTP),
                        "--web.enable-otlp-receiver",
                        "--enable-feature=exemplar-storage",
                        "--log.level=warn")));
    }

    /** A Prometheus to be started by JUnit. */
    public static PrometheusServer create() {
        return new PrometheusServer(Program.resource(CONFIG));
    }

    /** Starts a Prometheus and returns when it is ready. */
    public static PrometheusServer start() throws IOException {
        PrometheusServer prometheus = create();
        prometheus.open();
        return prometheus;
    }

    /** Starts a Prometheus with another configuration. */
    public static PrometheusServer start(Path config) throws IOException {
        PrometheusServer prometheus = new PrometheusServer(Files.readString(config));
        prometheus.open();
        return prometheus;
    }

    /** The endpoint for metrics by {@code http/protobuf}, without the signal's path. */
    public String otlpEndpoint() {
        return url(HTTP) + "/api/v1/otlp";
    }

    /** The value for {@code OTEL_EXPORTER_OTLP_METRICS_ENDPOINT}, with the signal's path. */
    public String metricsEndpoint() {
        return otlpEndpoint() + "/v1/metrics";
    }

    /** What a query gives now. */
    public List<PrometheusSeries> query(String promQl) {
        return series(Map.of("query", promQl), "/api/v1/query");
    }

    /** What a query gives at that time. */
    public List<PrometheusSeries> query(String promQl, Instant at) {
        return series(Map.of("query", promQl, "time", seconds(at)), "/api/v1/query");
    }

    /** What a query gives from one time to another. */
    public List<PrometheusSeries> range(String promQl, Instant from, Instant to, Duration step) {
        return series(
                Map.of("query", promQl, "start", seconds(from), "end", seconds(to), "step", step.toSeconds()),
                "/api/v1/query_range");
    }

    /** The examples that belong to the series of which a query speaks. */
    public List<PrometheusExemplar> exemplars(String promQl, Instant from, Instant to) {
        Map<String, Object> parameters = Map.of("query", promQl, "start", seconds(from), "end", seconds(to));
        return data("/api/v1/query_exemplars", parameters)
                .valueStream()
                .flatMap(PrometheusExemplar::all)
                .toList();
    }

    /** The values that a label has, such as {@code __name__} the names of all metrics. */
    public List<String> labelValues(String label) {
        return JaegerSpan.strings(data("/api/v1/label/" + label + "/values", Map.of()));
    }

    private List<PrometheusSeries> series(Map<String, ?> parameters, String path) {
        return data(path, parameters)
                .path("result")
                .valueStream()
                .map(PrometheusSeries::of)
                .toList();
    }

    private JsonNode data(String path, Map<String, ?> parameters) {
        return client.get(url(HTTP) + path + JsonClient.query(parameters)).path("data");
    }

    private static String seconds(Instant time) {
        return time.getEpochSecond() + String.format(".%03d", time.getNano() / 1_000_000);
    }

    static Map<String, String> labels(JsonNode metric) {
        return metric.propertyStream()
                .collect(toUnmodifiableMap(
                        Map.Entry::getKey, label -> label.getValue().asString()));
    }
}
