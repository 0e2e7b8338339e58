package dev.rlm.benchmarks.otlp;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes OTLP over HTTP/1.1 on a free port of this machine, a thread a connection, and counts spans. It knows no more of HTTP
 * than is needed for clients that tell their bodies' lengths: a whole server would take more of the processors.
 */
final class HttpReceiver implements AutoCloseable {
    private static final byte[] TAKEN =
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);
    private static final String TRACES = "post /v1/traces ";
    private static final String LENGTH = "content-length:";
    private static final int LARGEST = 16 << 20; // bytes of a body

    private final ServerSocket socket;
    private final AtomicLong spans;

    HttpReceiver(AtomicLong spans) throws IOException {
        this.spans = spans;
        socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start("http", this::listen);
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return socket.getLocalPort();
    }

    private void listen() {
        try {
            while (true) {
                Socket connection = socket.accept();
                start("connection", () -> serve(connection));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(connection.getInputStream());
            byte[] body = new byte[LARGEST];
            for (String request = line(in); !request.isEmpty(); request = line(in)) {
                int length = bodyLength(in);
                if (in.readNBytes(body, 0, length) < length) {
                    throw new IOException("the connection ends within a request");
                }
                if (request.startsWith(TRACES)) {
                    spans.addAndGet(SpanCount.of(body, length));
                }
                connection.getOutputStream().write(TAKEN);
            }
        } catch (IOException e) {
            // the client has gone
        }
    }

    private static int bodyLength(InputStream in) throws IOException {
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.startsWith(LENGTH)) {
                length = Integer.parseInt(header.substring(LENGTH.length()).strip());
            }
        }
        return length;
    }

    /** A line in small letters; an empty one at the end, too. */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString().strip().toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
