package dev.rlm.benchmarks.fault;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.mlflow.MlflowSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Stand-in for an MLflow server on a port of this machine, in a given state of health; it ends with the program. */
enum MlflowStandIn {
    /** Answers at once that all is well. */
    TAKES,
    /** Never answers. */
    SILENT,
    /** Answers after 20 seconds that its database is locked, as the real one does. */
    LOCKED,
    /** Does not listen. */
    DOWN;

    private static final long LOCKED_NANOS = TimeUnit.SECONDS.toNanos(20);

    @SuppressWarnings("ImmutableEnumChecker") // it counts
    private final AtomicInteger answers = new AtomicInteger();

    static {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // else each answer takes 40 ms
    }

    /** A sink that sends to one of its own. */
    Sink sink() {
        try {
            return MlflowSink.builder()
                    .trackingUri(URI.create("http://127.0.0.1:" + port()))
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns how many requests were answered so far. */
    int answers() {
        return answers.get();
    }

    private int port() throws IOException {
        if (this == DOWN) {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            }
        }
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newCachedThreadPool(MlflowStandIn::daemon));
        daemon(server::start).start(); // whose own thread is one then too
        return server.getAddress().getPort();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "mlflow");
        thread.setDaemon(true);
        return thread;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange;
                InputStream body = exchange.getRequestBody()) {
            body.transferTo(OutputStream.nullOutputStream());
            switch (this) {
                case SILENT -> pause(Long.MAX_VALUE);
                case LOCKED -> pause(LOCKED_NANOS);
                default -> {}
            }
            answers.incrementAndGet();
            byte[] answer = text(exchange.getRequestURI().getPath()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(this == TAKES ? 200 : 503, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    private static void pause(long nanos) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            LockSupport.parkNanos(nanos);
        }
    }

    private String text(String path) {
        if (this != TAKES) {
            return "{\"error_code\":\"TEMPORARILY_UNAVAILABLE\",\"message\":\"database is locked\"}";
        } else if (path.endsWith("get-by-name")) {
            return "{\"experiment\":{\"experiment_id\":\"1\",\"lifecycle_stage\":\"active\"}}";
        }
        return path.endsWith("runs/create") ? "{\"run\":{\"info\":{\"run_id\":\"r\",\"status\":\"RUNNING\"}}}" : "{}";
    }
}
