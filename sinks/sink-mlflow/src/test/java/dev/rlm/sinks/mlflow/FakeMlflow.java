package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.mlflow.rest.TrackingAccess;
import dev.rlm.sinks.otel.backend.HostileExchange;
import dev.rlm.sinks.otel.backend.HostileServer;
import dev.rlm.sinks.otel.backend.HostileServer.Behaviour;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the sink asks of an MLflow, on a plain socket: it knows one experiment, keeps what it takes, and misbehaves at chosen
 * addresses as it is told to. Thread-safe.
 */
final class FakeMlflow implements AutoCloseable {
    /** Where the parts of the sink go. */
    static final String TRACES = "/v1/traces";

    static final String FEEDBACK = "/assessments";
    static final String NEW_RUNS = "/runs/create";

    /** What it never answers. */
    static final Behaviour SILENT = HostileExchange::stall;

    private static final JsonMapper JSON = new JsonMapper();
    private static final int GZIP = 0x1f; // its first byte
    private static final Behaviour MISSING =
            json(404, "{\"error_code\":\"RESOURCE_DOES_NOT_EXIST\",\"message\":\"not found\"}");

    private final HostileServer server;
    private final Map<Predicate<String>, Behaviour> troubles = new ConcurrentHashMap<>();
    private final Map<String, Predicate<String>> places = new ConcurrentHashMap<>();
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final Set<String> spans = ConcurrentHashMap.newKeySet(); // by id
    private final Set<String> traces = ConcurrentHashMap.newKeySet();
    private final Map<String, Assessment> feedback = new ConcurrentHashMap<>();
    private final Set<String> linked = ConcurrentHashMap.newKeySet();
    private final Map<String, String> runs = new ConcurrentHashMap<>(); // their status by id
    private final List<JsonNode> points = new CopyOnWriteArrayList<>();

    FakeMlflow() throws IOException {
        server = HostileServer.speaking("http/protobuf");
        server.behave(this::handle);
    }

    URI uri() {
        return URI.create(server.endpoint());
    }

    TrackingAccess access() {
        return TrackingAccess.open(uri());
    }

    HostileServer server() {
        return server;
    }

    /** Answers so, wherever the address has this in it. */
    void misbehave(String place, Behaviour behaviour) {
        recover(place);
        Predicate<String> there = path -> path.contains(place);
        places.put(place, there);
        troubles.put(there, behaviour);
    }

    void misbehave(Predicate<String> path, Behaviour behaviour) {
        troubles.put(path, behaviour);
    }

    /** All is well again there. */
    void recover(String place) {
        Predicate<String> there = places.remove(place);
        if (there != null) {
            troubles.remove(there);
        }
    }

    /** All is well again everywhere, and who waits for an answer waits no more. */
    void behaveWell() throws IOException {
        troubles.clear();
        server.behave(this::handle);
    }

    /** An answer in JSON, with a status. */
    static Behaviour json(int status, String text) {
        return Behaviour.status(status, "application/json", text, Map.of());
    }

    /** What was asked for, in order. */
    List<String> paths() {
        return paths;
    }

    /** How many requests came whose address has this in it. */
    int requests(String place) {
        return (int) paths.stream().filter(path -> path.contains(place)).count();
    }

    int spans() {
        return spans.size();
    }

    /** What it has taken as feedback. */
    List<JsonNode> feedback() {
        return feedback.values().stream().map(Assessment::body).toList();
    }

    /** The traces that were linked to a run. */
    Set<String> linked() {
        return Set.copyOf(linked);
    }

    /** The status of each run. */
    List<String> runs() {
        return List.copyOf(runs.values());
    }

    /** The points that were taken. */
    List<JsonNode> points() {
        return List.copyOf(points);
    }

    /** All that came, as text. */
    String everything() {
        return paths + " " + bodies;
    }

    @Override
    public void close() {
        server.close();
    }

    private void handle(HostileExchange exchange) throws IOException, InterruptedException {
        String path = exchange.path();
        paths.add(path);
        bodies.add(new String(unzipped(exchange.sent()), StandardCharsets.UTF_8));
        Optional<Behaviour> trouble = troubles.entrySet().stream()
                .filter(each -> each.getKey().test(path))
                .map(Map.Entry::getValue)
                .findFirst();
        if (trouble.isPresent()) {
            trouble.get().answer(exchange);
        } else {
            answer(exchange);
        }
    }

    private static byte[] unzipped(byte[] body) throws IOException {
        if (body.length == 0 || body[0] != GZIP) {
            return body;
        }
        try (InputStream unzipped = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return unzipped.readAllBytes();
        }
    }

    /** As it should. */
    void answer(HostileExchange exchange) throws IOException, InterruptedException {
        String path = exchange.path().replaceFirst("\\?.*", "");
        byte[] body = unzipped(exchange.sent());
        if (path.equals(TRACES)) {
            keep(ExportTraceServiceRequest.parseFrom(body));
            exchange.answer(new byte[0]);
            return;
        }
        JsonNode asked = body.length == 0 ? JSON.createObjectNode() : JSON.readTree(body);
        (path.contains(FEEDBACK) ? assessed(path, asked) : json(200, answer(path, asked))).answer(exchange);
    }

    private void keep(ExportTraceServiceRequest request) {
        request.getResourceSpansList().stream()
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .flatMap(scope -> scope.getSpansList().stream())
                .forEach(this::keep);
    }

    private void keep(Span span) {
        HexFormat hex = HexFormat.of();
        String trace = hex.formatHex(span.getTraceId().toByteArray());
        traces.add("tr-" + trace);
        spans.add(trace + hex.formatHex(span.getSpanId().toByteArray()));
    }

    private String answer(String path, JsonNode asked) {
        return switch (path.substring(path.lastIndexOf('/') + 1)) {
            case "get-by-name" -> "{\"experiment\":{\"experiment_id\":\"1\",\"lifecycle_stage\":\"active\"}}";
            case "create" -> created();
            case "batchGetInfos" -> infos(asked.path("trace_ids"));
            default -> {
                take(asked);
                yield "{}";
            }
        };
    }

    /** A run's new status, points, or traces that belong to it. */
    private void take(JsonNode asked) {
        runs.computeIfPresent(
                asked.path("run_id").asString(""),
                (id, status) -> asked.path("status").asString(status));
        asked.path("metrics").forEach(points::add);
        if (asked.has("run_id")) {
            asked.path("trace_ids").forEach(trace -> linked.add(trace.asString()));
        }
    }

    private String created() {
        String id = "run" + runs.size();
        runs.put(id, "RUNNING");
        return JSON.writeValueAsString(Map.of("run", Map.of("info", Map.of("run_id", id, "status", "RUNNING"))));
    }

    private String infos(JsonNode ids) {
        Map<String, List<JsonNode>> infos = new LinkedHashMap<>();
        ids.forEach(id -> infos.put(
                id.asString(),
                feedback.values().stream()
                        .filter(each -> each.trace().equals(id.asString()))
                        .map(Assessment::body)
                        .toList()));
        return JSON.writeValueAsString(Map.of(
                "trace_infos",
                infos.entrySet().stream()
                        .map(info -> Map.of("trace_id", info.getKey(), "assessments", info.getValue()))
                        .toList()));
    }

    /** As MLflow does: none without a trace, none twice. */
    private Behaviour assessed(String path, JsonNode asked) {
        if (!path.endsWith(FEEDBACK)) { // but with its id
            return feedback.containsKey(path.substring(path.lastIndexOf('/') + 1)) ? json(200, "{}") : MISSING;
        }
        String trace = path.replaceAll(".*/traces/(tr-[^/]+)/.*", "$1");
        boolean tracesAreTaken = !places.containsKey(TRACES);
        if (tracesAreTaken && !traces.contains(trace)) {
            return MISSING;
        }
        JsonNode body = asked.path("assessment");
        return feedback.putIfAbsent(body.path("assessment_id").asString(), new Assessment(trace, body)) == null
                ? json(200, "{}")
                : json(500, "{\"error_code\":\"INTERNAL_ERROR\",\"message\":\"constraint violation\"}");
    }

    /** What was said of a trace. */
    private record Assessment(String trace, JsonNode body) {}
}
