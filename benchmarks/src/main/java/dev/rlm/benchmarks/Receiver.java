package dev.rlm.benchmarks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** A back end on a port of this machine that takes OTLP over HTTP, and that can be down, or refuse, for a while. */
public final class Receiver implements AutoCloseable {
    private static final int TAKEN = 200; // with no body, which is an empty answer in protobuf
    private static final int UNAVAILABLE = 503;

    private final ExecutorService threads = Executors.newFixedThreadPool(2, task -> {
        Thread thread = new Thread(task, "receiver");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final int port;
    private HttpServer server;
    private volatile boolean refusing;

    /** One that takes all, on a free port. */
    public Receiver() throws IOException {
        server = listen(0);
        port = server.getAddress().getPort();
    }

    private HttpServer listen(int at) throws IOException {
        HttpServer listening = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), at), 0);
        listening.createContext("/", this::answer);
        listening.setExecutor(threads);
        listening.start();
        return listening;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange;
                InputStream body = exchange.getRequestBody()) {
            body.transferTo(OutputStream.nullOutputStream());
            (refusing ? refused : taken).incrementAndGet();
            exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(refusing ? UNAVAILABLE : TAKEN, -1);
        }
    }

    /** Returns the address to send to. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Answers that it cannot take anything now. */
    public void refuse() {
        refusing = true;
    }

    /** Stops to listen. */
    public void goDown() {
        server.stop(0);
    }

    /** Listens again after {@link #goDown}. */
    public void comeBack() throws IOException {
        server = listen(port);
    }

    /** Takes again after {@link #refuse}. */
    public void take() {
        refusing = false;
    }

    /** Returns the number of requests taken, and of those refused. */
    @Override
    public String toString() {
        return taken + " requests taken, " + refused + " refused";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
