package dev.rlm.recorder;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A short answer to a request: a status and a line of JSON. */
record Response(int status, String header, String body) {
    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(200, "OK"),
            Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"),
            Map.entry(413, "Content Too Large"),
            Map.entry(415, "Unsupported Media Type"),
            Map.entry(431, "Request Header Fields Too Large"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(501, "Not Implemented"),
            Map.entry(503, "Service Unavailable"),
            Map.entry(505, "HTTP Version Not Supported"),
            Map.entry(507, "Insufficient Storage"));

    /** Returns all its bytes; the connection is closed after them. */
    byte[] bytes() {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        String head = statusLine(status) + "Content-Type: application/json\r\nContent-Length: " + content.length
                + "\r\n" + header + "Connection: close\r\n\r\n";
        return (head + body).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns what tells a client to send its body. */
    static ByteBuffer goOn() {
        return ByteBuffer.wrap("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    static String statusLine(int status) {
        return "HTTP/1.1 " + status + " " + REASONS.getOrDefault(status, "") + "\r\n";
    }
}
