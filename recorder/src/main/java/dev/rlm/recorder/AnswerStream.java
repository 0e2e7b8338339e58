package dev.rlm.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Answers to the lines of a request, sent as they come: in one piece where they are few, else in chunks. If the client does not
 * take them, they are dropped, since its lines are recorded all the same.
 */
final class AnswerStream {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SIZE = 1 << 16;

    private final Connection connection;
    private final boolean persistent;
    private final StringBuilder waiting = new StringBuilder();
    private boolean begun;
    private boolean broken;

    AnswerStream(Connection connection, boolean persistent) {
        this.connection = connection;
        this.persistent = persistent;
    }

    void add(String answer) {
        waiting.append(answer);
        if (waiting.length() >= SIZE) {
            sendChunk();
        }
    }

    private void sendChunk() {
        String head = begun ? "" : head(persistent ? "Transfer-Encoding: chunked\r\n" : "");
        begun = true;
        // The end of a connection that is not kept is the end of its answers: so says HTTP/1.0, which has no chunks.
        send(head + (persistent ? Integer.toHexString(length()) + "\r\n" + waiting + "\r\n" : waiting));
    }

    private String head(String framing) {
        return Response.statusLine(200) + "Content-Type: application/x-ndjson\r\n" + framing
                + (persistent ? "" : "Connection: close\r\n") + "\r\n";
    }

    private int length() {
        return waiting.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    private void send(String text) {
        waiting.setLength(0);
        if (broken) {
            return;
        }
        connection.expectWithin(PATIENCE);
        try {
            connection.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            broken = true;
        } finally {
            connection.expectNothing();
        }
    }

    /** Sends the rest; whether the client has all and the connection can be kept. */
    boolean end() {
        if (!begun) {
            send(head("Content-Length: " + length() + "\r\n") + waiting);
        } else if (!waiting.isEmpty()) {
            sendChunk();
        }
        if (begun && persistent) {
            send("0\r\n\r\n");
        }
        return persistent && !broken;
    }
}
