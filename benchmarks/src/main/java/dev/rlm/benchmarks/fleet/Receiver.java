package dev.rlm.benchmarks.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** A receiver of events and of OTLP by HTTP, which acknowledges everything and gives it to a consumer. */
final class Receiver implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Consumer<Received> consumer;

    /** A request, and when it came by {@link System#nanoTime}. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Received(long at, String path, byte[] body) {
        boolean isTraces() {
            return path.endsWith("/v1/traces");
        }
    }

    Receiver(Consumer<Received> consumer) throws IOException {
        this.consumer = consumer;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::take);
        server.setExecutor(threads);
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange;
                InputStream in = exchange.getRequestBody()) {
            byte[] body = in.readAllBytes();
            consumer.accept(
                    new Received(System.nanoTime(), exchange.getRequestURI().getPath(), body));
            boolean ofEvents = exchange.getRequestURI().getPath().endsWith("/v1/events");
            byte[] answer = ofEvents ? answers(body) : new byte[0];
            exchange.getResponseHeaders()
                    .set("Content-Type", ofEvents ? "application/x-ndjson" : "application/x-protobuf");
            exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    /** Returns an answer for each line. */
    private static byte[] answers(byte[] body) {
        long lines = new String(body, StandardCharsets.UTF_8).lines().count();
        return "{\"ok\":true,\"synced\":true}\n".repeat((int) lines).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
