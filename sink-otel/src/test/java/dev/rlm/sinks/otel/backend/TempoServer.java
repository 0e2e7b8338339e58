package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A real Grafana Tempo ({@code TEMPO_BIN}), which keeps its traces in its folder. */
public final class TempoServer extends Backend {
    private static final Port HTTP = new Port("HTTP", 3200);
    private static final String CONFIG = "tempo.yaml";

    private final JsonClient client = new JsonClient();

    private TempoServer(String config) {
        super(new Program(
                "Tempo",
                "TEMPO_BIN",
                "grafana/tempo:2.5.0",
                List.of(HTTP, new Port("GRPC", 9095), new Port("GOSSIP", 7946), Port.OTLP_GRPC, Port.OTLP_HTTP),
                "/ready",
                200,
                Map.of(CONFIG, config),
                Map.of(),
                place -> List.of("-config.file=" + place.file(CONFIG), "-config.expand-env=true")));
    }

    /** A Tempo to be started by JUnit. */
    public static TempoServer create() {
        return new TempoServer(Program.resource(CONFIG));
    }

    /** Starts a Tempo and returns when it is ready. */
    public static TempoServer start() throws IOException {
        TempoServer tempo = create();
        tempo.open();
        return tempo;
    }

    /**
     * Starts a Tempo with another configuration, which finds its address, folder and ports in the environment:
     * {@code LISTEN_HOST}, {@code DATA}, {@code HTTP_PORT}, {@code GRPC_PORT}, {@code GOSSIP_PORT},
     * {@code OTLP_GRPC_PORT}, {@code OTLP_HTTP_PORT}.
     */
    public static TempoServer start(Path config) throws IOException {
        TempoServer tempo = new TempoServer(Files.readString(config));
        tempo.open();
        return tempo;
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=grpc}. */
    public String grpcEndpoint() {
        return url(Port.OTLP_GRPC);
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf}, without a signal's path. */
    public String httpEndpoint() {
        return url(Port.OTLP_HTTP);
    }

    /** The traces that a TraceQL query finds, at most so many. */
    public List<TempoFound> search(String traceQl, int limit) {
        return found(Map.of("q", traceQl, "limit", limit));
    }

    /** The traces between two times that a TraceQL query finds, at most so many. */
    public List<TempoFound> search(String traceQl, int limit, Instant from, Instant to) {
        return found(
                Map.of("q", traceQl, "limit", limit, "start", from.getEpochSecond(), "end", to.getEpochSecond() + 1));
    }

    /** Waits until a TraceQL query finds at least so many traces, and returns all of them (up to twice as many). */
    public List<TempoFound> awaitFound(String traceQl, int count) {
        return await().until(() -> search(traceQl, 2 * count), found -> found.size() >= count);
    }

    /** The spans of a trace; none where Tempo does not know it. */
    public List<TempoSpan> trace(String traceId) {
        Optional<JsonNode> found = client.find(url(HTTP) + "/api/traces/" + traceId);
        return found.map(TempoSpan::all).orElse(List.of());
    }

    /** Waits until this trace has at least so many spans. */
    public List<TempoSpan> awaitTrace(String traceId, int spans) {
        return await().until(() -> trace(traceId), found -> found.size() >= spans);
    }

    /** The values that an attribute such as {@code span.rlm.environment} has, as the search form offers them. */
    public List<String> tagValues(String tag) {
        return client.get(url(HTTP) + "/api/v2/search/tag/" + tag + "/values")
                .path("tagValues")
                .valueStream()
                .map(value -> value.path("value").asString())
                .toList();
    }

    private List<TempoFound> found(Map<String, ?> parameters) {
        return client.get(url(HTTP) + "/api/search" + JsonClient.query(parameters))
                .path("traces")
                .valueStream()
                .map(TempoFound::of)
                .toList();
    }
}
