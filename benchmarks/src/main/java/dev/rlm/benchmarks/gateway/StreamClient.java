package dev.rlm.benchmarks.gateway;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Client that asks for one streamed reply after another over one connection. Not thread-safe. */
final class StreamClient implements AutoCloseable {
    private static final String BODY =
            "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Tell me something.\"}]}";
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    /** A reply that has come whole: its id, and the times from the request to its first token and to its end. */
    record Reply(String id, long firstNanos, long wholeNanos) {}

    private final Socket socket;
    private final InputStream in;
    private final byte[] request;

    StreamClient(int port, String path) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        request = ("POST " + path
                        + "/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Asks, and reads the reply to its end. */
    Reply ask() throws IOException {
        return ask(() -> {});
    }

    /** Does something at the first token. */
    Reply ask(Runnable atFirst) throws IOException {
        long start = System.nanoTime();
        socket.getOutputStream().write(request);
        String status = Http.line(in);
        String header = status;
        while (!header.isEmpty()) {
            header = Http.line(in);
        }
        if (!status.contains(" 200 ")) {
            throw new IOException(status);
        }
        byte[] first = Http.chunk(in);
        long firstNanos = System.nanoTime() - start;
        atFirst.run();
        byte[] next = first;
        while (next.length > 0) {
            next = Http.chunk(in);
        }
        long wholeNanos = System.nanoTime() - start;
        Matcher id = ID.matcher(new String(first, StandardCharsets.UTF_8));
        return new Reply(id.find() ? id.group(1) : "", firstNanos, wholeNanos);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
