package dev.rlm.sinks.testkit.chat;

import dev.rlm.sinks.testkit.fault.Gate;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A client's connection, as far as HTTP/1.1 goes here: one request after the other. Used by one thread. */
final class ChatConnection implements AutoCloseable {
    private static final int LOOK_MILLIS = 10;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    ChatConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = new BufferedOutputStream(socket.getOutputStream());
    }

    /** The next request; {@code null} where the client has no more. */
    @Nullable
    ChatRequest next() throws IOException {
        String line = line();
        if (line == null) {
            return null;
        }
        String[] words = line.split(" ", 3);
        if (words.length < 3) {
            throw new IOException("no request of HTTP/1.1");
        }
        Map<String, List<String>> headers = headers();
        return new ChatRequest(words[0], words[1], headers, new String(body(headers), StandardCharsets.UTF_8));
    }

    private Map<String, List<String>> headers() throws IOException {
        Map<String, List<String>> headers = new HashMap<>();
        for (String line = needed(); !line.isEmpty(); line = needed()) {
            int colon = line.indexOf(':');
            String name = line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT);
            headers.computeIfAbsent(name, key -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        return headers;
    }

    private byte[] body(Map<String, List<String>> headers) throws IOException {
        if (headers.containsKey("expect")) {
            write("HTTP/1.1 100 Continue\r\n\r\n");
        }
        if (headers.containsKey("content-length")) {
            return in.readNBytes(Integer.parseInt(headers.get("content-length").get(0)));
        } else if (!headers.containsKey("transfer-encoding")) {
            return new byte[0];
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            body.write(in.readNBytes(size));
            needed();
        }
        needed();
        return body.toByteArray();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(needed().split(";", 2)[0].strip(), 16);
    }

    private String needed() throws IOException {
        String line = line();
        if (line == null) {
            throw new EOFException();
        }
        return line;
    }

    private @Nullable String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    /** Sends an answer; whether the connection can go on. */
    boolean send(ChatAnswer answer, boolean stream) throws IOException {
        waitAt(answer.early);
        if (answer.body != null || !stream) {
            return sendWhole(answer, answer.body != null ? answer.body : new ChatJson(answer).whole());
        }
        return sendStream(answer, new ChatJson(answer));
    }

    private boolean sendWhole(ChatAnswer answer, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        head(answer, answer.contentType, "Content-Length: " + body.length);
        for (int piece = 0; piece < 2; piece++) {
            if (isCut(answer, piece)) {
                return false;
            }
            int half = body.length / 2;
            out.write(body, piece * half, piece == 0 ? half : body.length - half);
            out.flush();
        }
        return true;
    }

    private boolean sendStream(ChatAnswer answer, ChatJson json) throws IOException {
        head(answer, "text/event-stream; charset=utf-8", "Transfer-Encoding: chunked");
        event(json.first());
        List<String> pieces = json.pieces();
        for (int piece = 0; piece <= pieces.size(); piece++) {
            if (isCut(answer, piece)) {
                return false;
            }
            if (answer.malformedAfter == piece) {
                event("{\"choices\":[{\"delta\":{\"content\":\"never clo");
            }
            if (piece < pieces.size()) {
                event(pieces.get(piece));
            }
        }
        for (String last : json.last()) {
            event(last);
        }
        if (answer.done) {
            event("[DONE]");
        }
        write("0\r\n\r\n");
        return true;
    }

    /** Stalls where it is to before that piece; whether the connection ends there. */
    private boolean isCut(ChatAnswer answer, int piece) throws IOException {
        waitAt(answer.stallAfter == piece ? answer.gate : null);
        return answer.cutAfter == piece;
    }

    private void head(ChatAnswer answer, String contentType, String framing) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + answer.status + " Scripted\r\n");
        head.append("Content-Type: ").append(contentType).append("\r\n");
        answer.headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        write(head.append(framing).append("\r\n\r\n").toString());
    }

    private void event(String data) throws IOException {
        byte[] event = ("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
        out.write((Integer.toHexString(event.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(event);
        write("\r\n");
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Waits until the gate is open, and looks meanwhile whether the client is still there. */
    private void waitAt(@Nullable Gate gate) throws IOException {
        if (gate == null) {
            return;
        }
        socket.setSoTimeout(LOOK_MILLIS);
        while (!gate.isOpen()) {
            try {
                in.mark(1);
                if (in.read() < 0) {
                    throw new EOFException("the client has gone");
                }
                in.reset();
            } catch (SocketTimeoutException e) {
                // it waits
            }
        }
        socket.setSoTimeout(0);
    }

    /** Sends what has been written. The connection itself is its owner's. */
    @Override
    public void close() throws IOException {
        out.flush();
    }
}
