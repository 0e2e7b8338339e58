package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.mlflow.rest.Access;
import dev.rlm.sinks.otel.backend.HostileExchange;
import dev.rlm.sinks.otel.backend.HostileServer;
import dev.rlm.sinks.otel.backend.HostileServer.Behaviour;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What looks like MLflow on a plain socket, and misbehaves as it is told to. It knows one experiment and makes one run. */
final class StubMlflow implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final HostileServer server;
    private final List<JsonNode> points = new CopyOnWriteArrayList<>();
    private final List<String> paths = new CopyOnWriteArrayList<>();

    StubMlflow() throws IOException {
        server = HostileServer.speaking("http/protobuf");
        behaveWell();
    }

    Access access() {
        return Access.open(URI.create(server.endpoint()));
    }

    HostileServer server() {
        return server;
    }

    void behaveWell() throws IOException {
        server.behave(this::answer);
    }

    /** Answers so what is asked for at paths like this, and the rest well. */
    void misbehave(String path, Behaviour behaviour) throws IOException {
        misbehave(each -> each.contains(path), behaviour);
    }

    void misbehave(Predicate<String> path, Behaviour behaviour) throws IOException {
        server.behave(exchange -> {
            if (path.test(exchange.path())) {
                paths.add(exchange.path());
                behaviour.answer(exchange);
            } else {
                answer(exchange);
            }
        });
    }

    /** An answer in JSON, with a status. */
    static Behaviour json(int status, String text) {
        return Behaviour.status(status, "application/json", text, Map.of());
    }

    /** The points that were taken. */
    List<JsonNode> points() {
        return points;
    }

    /** What was asked for, in order. */
    List<String> paths() {
        return paths;
    }

    void answer(HostileExchange exchange) throws IOException, InterruptedException {
        String path = exchange.path();
        paths.add(path);
        if (path.contains("log-batch")) {
            JSON.readTree(exchange.sent()).path("metrics").forEach(points::add);
        }
        String text = path.contains("get-by-name")
                ? "{\"experiment\":{\"experiment_id\":\"7\",\"lifecycle_stage\":\"active\"}}"
                : path.contains("runs/create")
                        ? "{\"run\":{\"info\":{\"run_id\":\"r1\",\"status\":\"RUNNING\"},\"data\":{}}}"
                        : "{}";
        exchange.head(200, Map.of("content-type", "application/json"));
        exchange.body(text.getBytes(StandardCharsets.UTF_8));
        exchange.end();
    }

    @Override
    public void close() {
        server.close();
    }
}
