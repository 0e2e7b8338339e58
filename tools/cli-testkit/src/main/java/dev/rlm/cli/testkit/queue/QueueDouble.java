package dev.rlm.cli.testkit.queue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Double of agentlightning 1.0.2's server, for what a runner asks of it. Thread-safe. */
final class QueueDouble implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Map<String, Set<String>> TRANSITIONS =
            Map.of("queuing", Set.of("running", "failed"), "running", Set.of("succeeded", "failed"));

    private final HttpServer server;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, ObjectNode> rollouts = new LinkedHashMap<>(); // guarded by this, as all that follows
    private final Map<String, ArrayNode> events = new LinkedHashMap<>(); // by rollout and attempt
    private @Nullable String endpoint;
    private boolean paused;
    private boolean takesEnds = true;

    QueueDouble(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_024);
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "queue-double");
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", exchange -> {
            Reply reply = reply(exchange);
            if (reply.status() == 429) {
                exchange.getResponseHeaders().set("Retry-After", "1");
                exchange.getResponseHeaders().set("X-Agl-Paused", "true");
            }
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    private record Reply(int status, String body) {
        Reply(int status, JsonNode json) {
            this(status, json.toString()); // as it is now: it may change
        }
    }

    private Reply reply(HttpExchange exchange) throws IOException {
        String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        JsonNode body = text.isEmpty() ? NODES.objectNode() : JSON.readTree(text);
        String[] path = exchange.getRequestURI().getPath().substring(1).split("/");
        String key = exchange.getRequestHeaders().getFirst("Authorization");
        if (!"Bearer k".equals(key)) {
            return error(401);
        } else if (path[0].equals("proxy") && path.length > 2) {
            return call(path, text);
        }
        synchronized (this) {
            String does = exchange.getRequestMethod() + " " + path[1];
            if (path.length == 2 && !does.equals("POST rollouts") && !does.equals("GET rollouts")) {
                paused = does.equals("POST pause");
                endpoint = does.equals("POST models")
                        ? body.path(0).path("endpoint").asString()
                        : endpoint;
                return new Reply(200, NODES.objectNode());
            } else if (path.length == 2) {
                return does.startsWith("GET")
                        ? new Reply(200, list(exchange.getRequestURI().getQuery()))
                        : enqueue(body);
            }
            ObjectNode rollout = rollouts.get(path[2]);
            if (rollout == null) {
                return error(404);
            } else if (!takesEnds && does.startsWith("PATCH") && !text.contains("running")) {
                return error(503);
            } else if (path.length == 3) {
                return does.startsWith("PATCH") ? patch(rollout, body.path("status")) : detail(rollout);
            }
            return does.startsWith("GET") ? eventsOf(rollout) : add(path[2], path[4], body);
        }
    }

    private static Reply error(int status) {
        return new Reply(status, NODES.objectNode());
    }

    private ArrayNode list(String query) {
        ArrayNode listed = NODES.arrayNode();
        rollouts.values().stream()
                .filter(each -> query.contains("state_in=" + state(each)))
                .forEach(listed::add);
        return listed;
    }

    private Reply enqueue(JsonNode all) {
        for (JsonNode each : all) {
            ObjectNode rollout = (ObjectNode) each;
            rollout.putObject("status").put("state", "queuing");
            rollouts.putIfAbsent(rollout.path("rollout_id").asString(), rollout);
        }
        return new Reply(201, all);
    }

    private static String state(ObjectNode rollout) {
        return rollout.path("status").path("state").asString();
    }

    private static Reply patch(ObjectNode rollout, JsonNode status) {
        if (!TRANSITIONS
                .getOrDefault(state(rollout), Set.of())
                .contains(status.path("state").asString())) {
            return error(409);
        }
        ((ObjectNode) rollout.path("status")).setAll((ObjectNode) status);
        return new Reply(200, rollout);
    }

    private static Reply detail(ObjectNode rollout) {
        ObjectNode detail = NODES.objectNode();
        detail.set("rollout", rollout);
        return new Reply(200, detail);
    }

    private Reply add(String rollout, String attempt, JsonNode event) {
        events.computeIfAbsent(rollout + "/" + attempt, unknown -> NODES.arrayNode())
                .add(event);
        return new Reply(200, event);
    }

    private Reply eventsOf(ObjectNode rollout) {
        String attempt = rollout.path("status").path("last_attempt_id").asString("0");
        String name = rollout.path("rollout_id").asString() + "/" + attempt;
        return new Reply(200, events.getOrDefault(name, NODES.arrayNode()));
    }

    /** Passes a call on, as the proxy does: {@code proxy/rollout/R/attempt/A/mode/M/openai/v1/chat/completions}. */
    private Reply call(String[] path, String body) {
        String upstream;
        synchronized (this) {
            if (!rollouts.containsKey(path[2])) {
                return error(404);
            } else if (paused) {
                return error(429);
            } else if (endpoint == null || body.contains("\"stream\":true")) {
                return error(endpoint == null ? 503 : 400);
            }
            upstream = endpoint + "/chat/completions";
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(upstream))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        String reply = http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .join()
                .body();
        return new Reply(200, JSON.readTree(reply));
    }

    /** Says whether it takes ends, or is too busy. */
    synchronized void takesEnds(boolean takes) {
        takesEnds = takes;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
