package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server on a free loopback port that answers as badly as it is told to, by HTTP/1.1 or by the HTTP/2 of gRPC, byte by
 * byte on a plain socket. Thread-safe.
 */
public final class HostileServer implements AutoCloseable {
    /** Takes everything. */
    public static final Behaviour ACCEPT = exchange -> exchange.answer(new byte[0]);

    private final ExecutorService executor = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "hostile");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger requests = new AtomicInteger();
    private final boolean grpc;
    private final int port;
    private ServerSocket server; // guarded by this
    private volatile Behaviour behaviour = ACCEPT;
    private volatile boolean deaf;
    private volatile CountDownLatch stalled = new CountDownLatch(1);

    private HostileServer(boolean grpc) throws IOException {
        this.grpc = grpc;
        server = listen(0);
        port = server.getLocalPort();
    }

    private ServerSocket listen(int at) throws IOException {
        ServerSocket socket = new ServerSocket(at, 50, InetAddress.getLoopbackAddress());
        executor.execute(() -> accept(socket));
        return socket;
    }

    /** One that speaks the protocol, {@code grpc} or {@code http/protobuf}, when it wants to. */
    public static HostileServer speaking(String protocol) throws IOException {
        return new HostileServer(protocol.equals("grpc"));
    }

    public String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    /** How many requests it has read. */
    public int requests() {
        return requests.get();
    }

    /** Answers so from now on, at a port that is open again. Those who were left waiting lose their connection. */
    public synchronized void behave(Behaviour value) throws IOException {
        behaviour = value;
        deaf = false;
        CountDownLatch before = stalled;
        stalled = new CountDownLatch(1);
        before.countDown();
        if (server.isClosed()) {
            server = listen(port);
        }
    }

    /** Closes the port and all connections. */
    public synchronized void refuse() throws IOException {
        server.close();
        hangUp();
    }

    /** Takes connections and reads nothing from them. */
    public void beDeaf() {
        deaf = true;
    }

    /** Cuts all connections. */
    public void hangUp() {
        sockets.forEach(HostileServer::close);
    }

    @Override
    public void close() {
        try {
            refuse();
        } catch (IOException e) {
            // it is of no more use anyway
        }
        executor.shutdownNow();
    }

    private void accept(ServerSocket listening) {
        try {
            while (true) {
                Socket socket = listening.accept();
                sockets.add(socket);
                executor.execute(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            if (deaf) {
                awaitChange();
            } else if (grpc) {
                new Http2Connection(socket, this::answer, this::awaitChange).serve();
            } else {
                new Http1Connection(socket, this::answer, this::awaitChange).serve();
            }
        } catch (IOException | InterruptedException e) {
            // the other side has had enough, or this one is closed
        } finally {
            sockets.remove(socket);
        }
    }

    private void answer(HostileExchange exchange) throws IOException, InterruptedException {
        requests.incrementAndGet();
        behaviour.answer(exchange);
    }

    private void awaitChange() throws InterruptedException {
        stalled.await();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // gone already
        }
    }

    /** How a request is answered. */
    @FunctionalInterface
    public interface Behaviour {
        void answer(HostileExchange exchange) throws IOException, InterruptedException;

        /** With a status, a type and a text. */
        static Behaviour status(int status, String type, String text, Map<String, String> headers) {
            return exchange -> {
                Map<String, String> all = new TreeMap<>(headers);
                all.put("content-type", type);
                exchange.head(status, all);
                exchange.body(text.getBytes(StandardCharsets.UTF_8));
                exchange.end();
            };
        }
    }
}
