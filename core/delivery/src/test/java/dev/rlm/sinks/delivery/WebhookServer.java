package dev.rlm.sinks.delivery;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that takes arrays of JSON, or does to requests what a test says. */
final class WebhookServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger requests = new AtomicInteger();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private volatile Behaviour behaviour = Behaviour.TAKE;

    WebhookServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    void behave(Behaviour value) {
        behaviour = value;
    }

    /** Returns the number of requests that have come. */
    int requests() {
        return requests.get();
    }

    /** The bodies that were taken. */
    List<String> bodies() {
        return bodies;
    }

    /** Returns the number of events that were taken. */
    long events() {
        return bodies.stream()
                .mapToLong(body -> body.split("\\{\"type\":", -1).length - 1)
                .sum();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        int number = requests.incrementAndGet();
        int status = behaviour.answer(number, body, exchange);
        if (status == Behaviour.HANGS) {
            awaitClose();
        } else if (status != Behaviour.CUTS) {
            if (status == 200) {
                bodies.add(body);
            }
            exchange.sendResponseHeaders(status, -1);
        }
        exchange.close();
    }

    private void awaitClose() {
        try {
            closed.await();
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

    /** Treatment of a request. */
    interface Behaviour {
        int HANGS = 0;
        int CUTS = -1;
        Behaviour TAKE = (number, body, exchange) -> 200;

        /** The status of the answer, or one of the others. */
        int answer(int number, String body, HttpExchange exchange);
    }
}
