package dev.rlm.sinks.record;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Server that answers each line of a request, as a recorder does. */
final class LineServer implements AutoCloseable {
    static final String SYNCED = "{\"ok\":true,\"synced\":true}";

    private final HttpServer server;
    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    volatile UnaryOperator<String> answer = line -> SYNCED;
    volatile int status = 200;

    LineServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/events", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            List<String> sent = body.lines().toList();
            lines.addAll(sent);
            byte[] answers =
                    sent.stream().map(answer).collect(Collectors.joining("\n")).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, answers.length);
            exchange.getResponseBody().write(answers);
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Returns all lines that came, also those that came again. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
