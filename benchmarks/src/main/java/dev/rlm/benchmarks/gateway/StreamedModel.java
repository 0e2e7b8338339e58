package dev.rlm.benchmarks.gateway;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Model that streams a reply of some tokens, one each so many milliseconds, to as many connections as there are. Thread-safe. */
final class StreamedModel implements AutoCloseable {
    private static final int TOKENS = 20;
    private static final String TOKEN =
            "data: {\"id\":\"reply-%d\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"token %d \"}}]}\n\n";
    private static final String END =
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final ServerSocket listener = new ServerSocket(0, 4_096, InetAddress.getLoopbackAddress());
    private final AtomicLong replies = new AtomicLong();
    private volatile long gapNanos;
    private volatile CountDownLatch held = new CountDownLatch(0);

    StreamedModel() throws IOException {
        start(this::accept);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "model");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Sets the time before each token. */
    void gap(long millis) {
        gapNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Holds each reply before its last token, until it is let go. */
    CountDownLatch hold() {
        held = new CountDownLatch(1);
        return held;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (Http.skipMessage(in)) {
                reply(socket.getOutputStream());
            }
        } catch (IOException e) {
            return; // the client has gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void reply(OutputStream out) throws IOException, InterruptedException {
        long id = replies.incrementAndGet();
        long next = System.nanoTime();
        out.write(HEAD.getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < TOKENS; i++) {
            next += gapNanos;
            for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            if (i == TOKENS - 1) {
                held.await();
            }
            chunk(out, TOKEN.formatted(id, i));
        }
        chunk(out, END);
        out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static void chunk(OutputStream out, String text) throws IOException {
        out.write((Integer.toHexString(text.length()) + "\r\n" + text + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
