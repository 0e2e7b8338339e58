package dev.rlm.recorder;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Answers to the lines of a request, sent as they come: in one piece where they are few, else in several. If the client does not
 * take them, they are dropped, since its lines are recorded all the same.
 */
final class AnswerStream {
    private static final int SIZE = 1 << 16;

    private final Response response;
    private final Callback callback;
    private final OutputStream out;
    private final StringBuilder waiting = new StringBuilder();
    private boolean begun;
    private boolean broken;

    AnswerStream(Response response, Callback callback) {
        this.response = response;
        this.callback = callback;
        this.out = Content.Sink.asOutputStream(response);
    }

    void add(String answer) {
        waiting.append(answer);
        if (waiting.length() >= SIZE) {
            send();
        }
    }

    private void send() {
        byte[] piece = take();
        if (!broken) {
            try {
                out.write(piece);
                out.flush();
            } catch (IOException e) {
                broken = true;
            }
        }
    }

    private byte[] take() {
        if (!begun) {
            response.setStatus(200);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/x-ndjson");
        }
        begun = true;
        byte[] bytes = waiting.toString().getBytes(StandardCharsets.UTF_8);
        waiting.setLength(0);
        return bytes;
    }

    /** Sends the rest, and ends the request. */
    void end() throws IOException {
        if (!begun) {
            byte[] all = take();
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, all.length);
            response.write(true, ByteBuffer.wrap(all), callback);
            return;
        }
        send();
        if (broken) {
            throw new IOException("the client does not take its answers");
        }
        out.close();
        callback.succeeded();
    }
}
