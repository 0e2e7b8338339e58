package dev.rlm.recipes.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Model behind three APIs, streamed or not, which asks for two tools at once and, when it has their results, answers. The model
 * {@code broken} answers 400; {@code busy} answers every second request with 429. Keeps what it was sent.
 */
public final class CannedModel implements AutoCloseable {
    /** A request as it arrived, its headers by their names in lower case. */
    public record Received(String line, Map<String, List<String>> headers, String body) {}

    private static final String REFUSAL =
            "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"%s\",\"param\":null,\"code\":null}}";

    private final HttpServer server;
    private final List<Received> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger busy = new AtomicInteger();

    public CannedModel() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", this::handle);
        server.start();
    }

    /** Its address, without {@code /v1}. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public List<Received> requests() {
        return requests;
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Map<String, List<String>> headers = new TreeMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
        requests.add(new Received(exchange.getRequestMethod() + " " + exchange.getRequestURI(), headers, body));
        if (body.contains("\"broken\"")) {
            refuse(exchange, 400, "invalid_request_error", "the model is broken");
        } else if (body.contains("\"busy\"") && busy.getAndIncrement() % 2 == 0) {
            exchange.getResponseHeaders().set("retry-after-ms", "1");
            exchange.getResponseHeaders().set("retry-after", "0");
            refuse(exchange, 429, "rate_limit_error", "slow down");
        } else {
            answer(exchange, body);
        }
    }

    private static void answer(HttpExchange exchange, String body) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String api = path.substring(path.lastIndexOf('/') + 1);
        String text = body.replaceAll("\\s", "");
        boolean again = text.contains("\"tool_result\"")
                || text.contains("\"function_call_output\"")
                || text.contains("\"role\":\"tool\"");
        boolean stream = text.contains("\"stream\":true");
        String name = api + (stream ? ".stream" : "") + (again ? ".answer" : ".tools");
        exchange.getResponseHeaders().set("x-request-id", "req-1");
        if (stream) {
            stream(exchange, text(name));
        } else {
            reply(exchange, 200, text(name));
        }
    }

    private static String text(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(CannedModel.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void refuse(HttpExchange exchange, int status, String type, String message) throws IOException {
        reply(exchange, status, REFUSAL.formatted(type, message));
    }

    private static void reply(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** Sends an event at a time. */
    private static void stream(HttpExchange exchange, String events) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        for (String event : events.split("(?<=\n\n)", -1)) {
            exchange.getResponseBody().write(event.getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
        }
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
