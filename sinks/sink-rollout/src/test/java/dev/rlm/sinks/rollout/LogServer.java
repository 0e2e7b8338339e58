package dev.rlm.sinks.rollout;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;

/** A gateway that takes logs, or answers as a test says. Thread-safe. */
final class LogServer implements AutoCloseable {
    /** Status of a request that has no answer before the server is closed. */
    static final int SILENT = -1;

    /** Status of a request whose connection is cut. */
    static final int CUT = -2;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<String> asked = new CopyOnWriteArrayList<>(); // paths
    private final List<String> taken = new CopyOnWriteArrayList<>(); // bodies
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private volatile BiFunction<String, String, Integer> answers = (path, body) -> 200;

    LogServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Sets the HTTP status that a path and a body are answered with. */
    void answers(BiFunction<String, String, Integer> value) {
        answers = value;
    }

    List<String> asked() {
        return asked;
    }

    List<String> taken() {
        return taken;
    }

    List<String> keys() {
        return keys;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String path = exchange.getRequestURI().getPath();
            asked.add(path);
            keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            int status = answers.apply(path, body);
            if (status == SILENT) {
                closed.await();
            } else if (status != CUT) {
                if (status == 200) {
                    taken.add(body);
                }
                exchange.sendResponseHeaders(status, -1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
