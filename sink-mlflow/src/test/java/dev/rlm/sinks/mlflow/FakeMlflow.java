package dev.rlm.sinks.mlflow;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the sink asks of an MLflow, on a free loopback port: it keeps what it takes, and misbehaves at chosen addresses as it
 * is told to. Thread-safe.
 */
final class FakeMlflow implements AutoCloseable {
    /** Where the parts of the sink go. */
    static final String TRACES = "/v1/traces";

    static final String FEEDBACK = "/assessments";
    static final String LINKS = "/link-to-run";
    static final String NEW_RUNS = "/runs/create";
    static final String METRICS = "/log-batch";

    static {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // else each answer takes 40 ms
    }

    private static final String MISSING = "{\"error_code\":\"RESOURCE_DOES_NOT_EXIST\",\"message\":\"not found\"}";

    private final JsonMapper json = new JsonMapper();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "stub");
        thread.setDaemon(true);
        return thread;
    });
    private final HttpServer server;
    private final ConcurrentMap<String, Trouble> troubles = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Integer> requests = new ConcurrentHashMap<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<String> everything = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> spans = ConcurrentHashMap.newKeySet(); // by id
    private final Set<String> traces = ConcurrentHashMap.newKeySet();
    private final Map<String, JsonNode> feedback = new ConcurrentHashMap<>();
    private final Set<String> linked = ConcurrentHashMap.newKeySet();
    private final Map<String, String> runs = new ConcurrentHashMap<>(); // their status by id
    private final List<JsonNode> metrics = new CopyOnWriteArrayList<>();

    FakeMlflow() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Answers so, wherever the address has this in it. */
    void misbehave(String place, Trouble trouble) {
        troubles.put(place, trouble);
    }

    /** All is well again there. */
    void recover(String place) {
        troubles.remove(place);
    }

    /** How many requests came whose address has this in it. */
    int requests(String place) {
        return requests.entrySet().stream()
                .filter(each -> each.getKey().contains(place))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    int spans() {
        return spans.size();
    }

    /** What it has taken as feedback. */
    List<JsonNode> feedback() {
        return List.copyOf(feedback.values());
    }

    /** The traces that were linked to a run. */
    Set<String> linked() {
        return Set.copyOf(linked);
    }

    /** The status of each run. */
    List<String> runs() {
        return List.copyOf(runs.values());
    }

    List<JsonNode> metrics() {
        return List.copyOf(metrics);
    }

    /** All that came, as text. */
    String everything() {
        return List.copyOf(everything).toString();
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = read(exchange);
            everything.add(path + " " + new String(body, StandardCharsets.UTF_8));
            requests.merge(path, 1, Integer::sum);
            Reply reply = null;
            for (Map.Entry<String, Trouble> each : troubles.entrySet()) {
                reply = path.contains(each.getKey()) ? each.getValue().answer(end) : reply;
            }
            if (reply == null) {
                reply = path.equals(TRACES)
                        ? taken(body)
                        : new Reply(200, "application/json", answer(exchange, path, body));
            }
            send(exchange, reply);
        } catch (InterruptedException e) {
            // closed
        }
    }

    private static byte[] read(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (!"gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
            return body;
        }
        try (InputStream unzipped = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return unzipped.readAllBytes();
        }
    }

    private static void send(HttpExchange exchange, Reply reply) throws IOException {
        String text = reply.body();
        int status = text.startsWith(MISSING) ? 404 : text.contains("\"INTERNAL_ERROR\"") ? 500 : reply.status();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", reply.type());
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private Reply taken(byte[] body) throws IOException {
        ExportTraceServiceRequest.parseFrom(body).getResourceSpansList().stream()
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .flatMap(scope -> scope.getSpansList().stream())
                .forEach(this::keep);
        return new Reply(200, "application/x-protobuf", "");
    }

    private void keep(Span span) {
        HexFormat hex = HexFormat.of();
        traces.add("tr-" + hex.formatHex(span.getTraceId().toByteArray()));
        spans.add(hex.formatHex(span.getTraceId().toByteArray())
                + hex.formatHex(span.getSpanId().toByteArray()));
    }

    private String answer(HttpExchange exchange, String path, byte[] body) {
        JsonNode asked = body.length == 0 ? json.createObjectNode() : json.readTree(body);
        String verb = path.substring(path.lastIndexOf('/') + 1);
        String run = asked.path("run_id").asString("");
        if (path.contains(FEEDBACK)) {
            return assess(exchange.getRequestMethod(), path, asked);
        }
        return switch (verb) {
            case "get-by-name" -> "{\"experiment\":{\"experiment_id\":\"1\",\"lifecycle_stage\":\"active\"}}";
            case "create" -> created();
            case "update" -> {
                runs.computeIfPresent(run, (id, status) -> asked.path("status").asString(status));
                yield "{}";
            }
            case "log-batch" -> {
                asked.path("metrics").forEach(metrics::add);
                yield "{}";
            }
            case "link-to-run" -> {
                asked.path("trace_ids").forEach(trace -> linked.add(trace.asString()));
                yield "{}";
            }
            default -> "{}";
        };
    }

    private String created() {
        String id = "run" + runs.size();
        runs.put(id, "RUNNING");
        return json.writeValueAsString(Map.of("run", Map.of("info", Map.of("run_id", id, "status", "RUNNING"))));
    }

    /** As MLflow does: none without a trace, none twice. */
    private String assess(String method, String path, JsonNode asked) {
        if (method.equals("GET")) {
            return feedback.containsKey(path.substring(path.lastIndexOf('/') + 1)) ? "{}" : MISSING;
        }
        String trace = path.replaceAll(".*/traces/(tr-[^/]+)/.*", "$1");
        boolean tracesAreTaken = !troubles.containsKey(TRACES);
        if (tracesAreTaken && !traces.contains(trace)) {
            return MISSING;
        }
        JsonNode assessment = asked.path("assessment");
        return feedback.putIfAbsent(assessment.path("assessment_id").asString(), assessment) == null
                ? "{}"
                : "{\"error_code\":\"INTERNAL_ERROR\",\"message\":\"constraint violation\"}";
    }

    /** An answer. */
    record Reply(int status, String type, String body) {}

    /** In what way it misbehaves. */
    interface Trouble {
        Reply answer(CountDownLatch end) throws InterruptedException;

        /** By never answering. */
        Trouble SILENT = end -> {
            end.await();
            throw new InterruptedException();
        };

        static Trouble status(int status, String body) {
            return end -> new Reply(status, body.startsWith("{") ? "application/json" : "text/html", body);
        }
    }
}
