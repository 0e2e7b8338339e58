package dev.rlm.recorder;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP server of {@code record}, for this machine alone. One thread accepts connections and reads the heads of all requests
 * without ever waiting for one; only a request that may record gets a worker. So a client without the token takes neither
 * a thread nor a place from those that have it: where there are too many strangers, the one that came first has to go.
 */
final class IngestServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IngestServer.class);
    private static final Duration HEAD_TIME = Duration.ofSeconds(5);
    private static final Duration IDLE_TIME = Duration.ofSeconds(30);
    private static final int MAX_STRANGERS = 1_024;
    private static final int MAX_KNOWN = 1_024;
    private static final int ACCEPTED_AT_ONCE = 64;
    private static final int WORKERS = 64;
    private static final int BACKLOG = 1_024;
    private static final int TICK_MILLIS = 200;

    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final Selector selector = Selector.open();
    private final Ingest ingest;
    private final ExecutorService workers =
            Executors.newFixedThreadPool(WORKERS, task -> RecorderThreads.daemon(task, "rlm-record-http-worker"));
    private final Thread thread = RecorderThreads.daemon(this::serve, "rlm-record-http");
    private final Set<Connection> strangers = new LinkedHashSet<>(); // the server's thread's alone, like known
    private final Set<Connection> known = new LinkedHashSet<>();
    private final Queue<Connection> returned = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /**
     * Listens on that port of the loopback address; on any free one where it is 0.
     *
     * @throws IOException if the port cannot be had
     */
    IngestServer(int port, Ingest ingest) throws IOException {
        this.ingest = ingest;
        try {
            InetAddress loopback = InetAddress.getByAddress("127.0.0.1", new byte[] {127, 0, 0, 1});
            listener.bind(new InetSocketAddress(loopback, port), BACKLOG);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            listener.close();
            selector.close();
            throw e;
        }
        thread.start();
    }

    /** Returns where events go. */
    String url() {
        return "http://127.0.0.1:" + listener.socket().getLocalPort() + Ingest.EVENTS;
    }

    // ---- on the server's thread

    private void serve() {
        try {
            while (!closed) {
                selector.select(TICK_MILLIS);
                takeBack();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.attachment() instanceof Connection connection) {
                        read(connection, key);
                    } else {
                        accept();
                    }
                }
                selector.selectedKeys().clear();
                closeOverdue(strangers);
                closeOverdue(known);
            }
        } catch (IOException | RuntimeException e) {
            if (!closed) {
                throw new IllegalStateException("requests cannot be read any more", e);
            }
        }
    }

    private void accept() {
        try {
            SocketChannel channel = listener.accept();
            for (int i = 1; channel != null; i++) {
                admit(channel);
                channel = i < ACCEPTED_AT_ONCE ? listener.accept() : null;
            }
        } catch (IOException e) {
            LOG.debug("a connection cannot be accepted: {}", e.toString()); // there are no more files
            if (!closeFirst(strangers)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS));
            }
        }
    }

    private void admit(SocketChannel channel) {
        Connection connection = new Connection(channel);
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true); // or a kept connection answers 40 ms late
            channel.register(selector, SelectionKey.OP_READ, connection);
        } catch (IOException e) {
            connection.close(); // the client has gone
            return;
        }
        if (strangers.size() >= MAX_STRANGERS) {
            var unused = closeFirst(strangers);
        }
        connection.expectWithin(HEAD_TIME);
        strangers.add(connection);
    }

    private static boolean closeFirst(Set<Connection> connections) {
        Iterator<Connection> all = connections.iterator();
        if (all.hasNext()) {
            all.next().close();
            all.remove();
            return true;
        }
        return false;
    }

    private static void closeOverdue(Set<Connection> connections) {
        connections.removeIf(connection -> {
            if (connection.isOverdue()) {
                connection.close(); // a worker that waits for it wakes up
            }
            return !connection.isOpen();
        });
    }

    private void read(Connection connection, SelectionKey key) {
        try {
            boolean idle = !connection.hasBegun();
            if (!connection.fill()) {
                forget(connection);
            } else if (!connection.isDraining()) {
                if (idle && known.contains(connection)) {
                    connection.expectWithin(HEAD_TIME);
                }
                handle(connection, key);
            }
        } catch (IOException | RuntimeException e) {
            breakOff(connection, e);
        }
    }

    private void handle(Connection connection, SelectionKey key) throws IOException {
        try {
            RequestHead head = connection.head();
            if (head != null) {
                Response answer = ingest.answer(head);
                if (answer == null) {
                    handOver(connection, key, head);
                } else {
                    finish(connection, answer);
                }
            }
        } catch (BadRequestException e) {
            finish(connection, e.response());
        }
    }

    private void handOver(Connection connection, SelectionKey key, RequestHead head) throws IOException {
        strangers.remove(connection);
        if (known.size() >= MAX_KNOWN && !known.contains(connection)) {
            throw new BadRequestException(503, MAX_KNOWN + " connections are open: close some, or use them again");
        }
        known.add(connection);
        connection.expectNothing();
        key.cancel();
        connection.channel().configureBlocking(true);
        workers.execute(() -> work(connection, head));
    }

    private void finish(Connection connection, Response answer) {
        connection.finish(answer);
        known.remove(connection);
        strangers.add(connection);
    }

    private void forget(Connection connection) {
        connection.close();
        strangers.remove(connection);
        known.remove(connection);
    }

    /** Closes it without an answer: the client has gone, or what was to answer it has failed. */
    private static void breakOff(Connection connection, Exception cause) {
        if (cause instanceof RuntimeException) {
            LOG.warn("a request failed: {}", cause.toString());
        } else {
            LOG.debug("a request was broken off: {}", cause.toString());
        }
        connection.close();
    }

    /** Waits for the next requests of connections whose request has been answered. */
    private void takeBack() {
        // Only those that are there by now: one that comes back at once still has its old key until the next select.
        for (int left = returned.size(); left > 0; left--) {
            Connection connection = returned.remove();
            try {
                connection.channel().configureBlocking(false);
                SelectionKey key = connection.channel().register(selector, SelectionKey.OP_READ, connection);
                if (connection.isDraining()) {
                    known.remove(connection);
                    strangers.add(connection);
                } else {
                    connection.expectWithin(connection.hasBegun() ? HEAD_TIME : IDLE_TIME);
                    handle(connection, key);
                }
            } catch (IOException | RuntimeException e) {
                breakOff(connection, e);
            }
        }
    }

    // ---- on a worker

    private void work(Connection connection, RequestHead head) {
        try {
            if (!ingest.record(head, connection)) {
                connection.close();
            }
        } catch (BadRequestException e) {
            connection.finish(e.response());
        } catch (IOException | RuntimeException e) {
            breakOff(connection, e);
        }
        if (connection.isOpen()) {
            returned.add(connection);
        }
        selector.wakeup();
    }

    /** Accepts nothing more, and lets the requests that are under way come to their end, for a second. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try (listener;
                selector) {
            thread.join();
            workers.shutdown();
            listener.close();
            var unused = workers.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.debug("the server was not closed: {}", e.toString());
        }
        strangers.forEach(Connection::close);
        known.forEach(Connection::close);
    }
}
