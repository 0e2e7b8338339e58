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
        if (!broken) {
            waiting.append(answer);
            if (waiting.length() >= SIZE) {
                sendChunk();
            }
        }
    }

    private void sendChunk() {
        byte[] answers = waiting.toString().getBytes(StandardCharsets.UTF_8);
        String before = begun ? "" : head(persistent ? "Transfer-Encoding: chunked\r\n" : "");
        begun = true;
        waiting.setLength(0);
        // The end of a connection that is not kept is the end of its answers: so says HTTP/1.0, which has no chunks.
        String size = persistent ? Integer.toHexString(answers.length) + "\r\n" : "";
        send(before + size, answers, persistent ? "\r\n" : "");
    }

    private String head(String framing) {
        return Response.statusLine(200) + "Content-Type: application/x-ndjson\r\n" + framing
                + (persistent ? "" : "Connection: close\r\n") + "\r\n";
    }

    private void send(String before, byte[] answers, String after) {
        byte[] head = before.getBytes(StandardCharsets.US_ASCII);
        byte[] tail = after.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer all = ByteBuffer.allocate(head.length + answers.length + tail.length);
        connection.expectWithin(PATIENCE);
        try {
            connection.write(all.put(head).put(answers).put(tail).flip());
        } catch (IOException e) {
            broken = true;
            waiting.setLength(0);
        } finally {
            connection.expectNothing();
        }
    }

    /** Sends the rest; whether the client has all and the connection can be kept. */
    boolean end() {
        if (begun && persistent && !broken) {
            sendLast();
        } else if (begun && !broken) {
            sendChunk();
        } else if (!broken) {
            byte[] answers = waiting.toString().getBytes(StandardCharsets.UTF_8);
            begun = true;
            send(head("Content-Length: " + answers.length + "\r\n"), answers, "");
        }
        return persistent && !broken;
    }

    private void sendLast() {
        if (!waiting.isEmpty()) {
            sendChunk();
        }
        send("0\r\n\r\n", new byte[0], "");
    }
}
