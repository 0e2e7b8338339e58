package dev.rlm.benchmarks.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** An OTLP receiver by HTTP, which acknowledges everything and gives it to a consumer. */
final class OtlpReceiver implements AutoCloseable {
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

    OtlpReceiver(Consumer<Received> consumer) throws IOException {
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
            exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, -1);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
