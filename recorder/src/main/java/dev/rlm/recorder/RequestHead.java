package dev.rlm.recorder;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Request line and headers of an HTTP/1 request.
 *
 * @param path the target without its query
 * @param headers by names in lower case
 * @param length of the body in bytes; {@link #CHUNKED} where only its end will tell
 */
record RequestHead(String method, String path, boolean persistent, Map<String, String> headers, long length) {
    static final int CHUNKED = -1;

    private static final String VERSION = "HTTP/1.1";
    private static final String OLD_VERSION = "HTTP/1.0";
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern LENGTH = Pattern.compile("\\d{1,18}");

    /** Reads a head, without the empty line at its end. */
    static RequestHead parse(String text) throws BadRequestException {
        String[] lines = text.split("\r\n", -1);
        String[] parts = lines[0].split(" ", -1);
        if (parts.length != 3 || !parts[1].startsWith("/")) {
            throw new BadRequestException(400, "the request line must be a method, a path and " + VERSION);
        } else if (!parts[2].equals(VERSION) && !parts[2].equals(OLD_VERSION)) {
            throw new BadRequestException(505, "the HTTP version must be 1.1");
        }
        Map<String, String> headers = headers(lines);
        String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
        boolean persistent = parts[2].equals(VERSION) && !connection.contains("close");
        return new RequestHead(parts[0], parts[1].split("\\?", 2)[0], persistent, headers, length(headers));
    }

    private static Map<String, String> headers(String[] lines) throws BadRequestException {
        Map<String, String> headers = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] header = lines[i].split(":", 2);
            if (header.length != 2 || !NAME.matcher(header[0]).matches()) {
                throw new BadRequestException(400, "a header must be a name, a colon and a value");
            }
            // Of two Content-Length or Host nobody could say which counts.
            headers.merge(header[0].toLowerCase(Locale.ROOT), header[1].strip(), (one, other) -> one + ", " + other);
        }
        return headers;
    }

    private static long length(Map<String, String> headers) throws BadRequestException {
        String coding = headers.get("transfer-encoding");
        String length = headers.get("content-length");
        if (coding != null && length != null) {
            throw new BadRequestException(400, "a body has a Content-Length or a Transfer-Encoding, not both");
        } else if (coding != null) {
            if (!coding.equalsIgnoreCase("chunked")) {
                throw new BadRequestException(501, "the only Transfer-Encoding is chunked");
            }
            return CHUNKED;
        } else if (length != null && !LENGTH.matcher(length).matches()) {
            throw new BadRequestException(400, "the Content-Length must be a number");
        }
        return length == null ? 0 : Long.parseLong(length);
    }

    @Nullable
    String header(String name) {
        return headers.get(name);
    }

    /** Returns whether the client sends its body only after it was told to go on. */
    boolean expectsContinue() {
        return "100-continue".equalsIgnoreCase(headers.get("expect"));
    }
}
