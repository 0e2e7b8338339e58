package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** A real Jaeger v2 ({@code JAEGER_BIN}), which keeps its traces in memory. */
public final class JaegerServer extends Backend {
    private static final Port QUERY = new Port("QUERY", 16686);
    private static final String CONFIG = "jaeger.yaml";
    private static final Program JAEGER = new Program(
            "Jaeger",
            "JAEGER_BIN",
            "jaegertracing/jaeger:2.13.0",
            List.of(new Port("HEALTH", 13133), QUERY, new Port("QUERY_GRPC", 16685), Port.OTLP_GRPC, Port.OTLP_HTTP),
            "/status",
            200,
            Map.of(CONFIG, Program.resource(CONFIG)),
            Map.of(),
            place -> List.of("--config", place.file(CONFIG)));

    private final JsonClient client = new JsonClient();

    private JaegerServer() {
        super(JAEGER);
    }

    /** A Jaeger to be started by JUnit. */
    public static JaegerServer create() {
        return new JaegerServer();
    }

    /** Starts a Jaeger and returns when it is ready. */
    public static JaegerServer start() throws IOException {
        JaegerServer jaeger = create();
        jaeger.open();
        return jaeger;
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=grpc}. */
    public String grpcEndpoint() {
        return url(Port.OTLP_GRPC);
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf}, without a signal's path. */
    public String httpEndpoint() {
        return url(Port.OTLP_HTTP);
    }

    public List<String> services() {
        return JaegerSpan.strings(data("/api/services").orElseThrow());
    }

    /** The names that the spans of a service have, as the search form offers them. */
    public List<String> operations(String service) {
        return JaegerSpan.strings(
                data("/api/services/" + service + "/operations").orElseThrow());
    }

    /** The traces in which this service has a span, at most so many. */
    public List<JaegerTrace> traces(String service, int limit) {
        return search(service, Map.of(), limit);
    }

    /** The traces in which a span of this service has this attribute, at most so many. */
    public List<JaegerTrace> tracesWith(String service, String attribute, String value, int limit) {
        return search(service, Map.of("tags", client.text(Map.of(attribute, value))), limit);
    }

    /** The traces in which a span of this service has this name, at most so many. */
    public List<JaegerTrace> tracesOf(String service, String operation, int limit) {
        return search(service, Map.of("operation", operation), limit);
    }

    public Optional<JaegerTrace> trace(String traceId) {
        return data("/api/traces/" + traceId).map(found -> JaegerTrace.of(found.path(0)));
    }

    /** Waits until this service has at least so many traces, and returns all of them (up to twice as many). */
    public List<JaegerTrace> awaitTraces(String service, int count) {
        return await().until(() -> traces(service, 2 * count), found -> found.size() >= count);
    }

    /** Waits until this trace has at least so many spans. */
    public JaegerTrace awaitTrace(String traceId, int spans) {
        return await().until(
                        () -> trace(traceId),
                        found -> found.stream().anyMatch(trace -> trace.spans().size() >= spans))
                .orElseThrow();
    }

    private List<JaegerTrace> search(String service, Map<String, String> more, int limit) {
        Map<String, Object> parameters = new TreeMap<>(more);
        parameters.put("service", service);
        parameters.put("limit", limit);
        return data("/api/traces" + JsonClient.query(parameters))
                .orElseThrow()
                .valueStream()
                .map(JaegerTrace::of)
                .toList();
    }

    /** The {@code data} of an answer, or nothing where Jaeger does not know the trace. */
    private Optional<JsonNode> data(String path) {
        return client.find(url(QUERY) + path).map(answer -> answer.path("data"));
    }
}
