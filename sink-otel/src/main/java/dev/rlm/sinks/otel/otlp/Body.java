package dev.rlm.sinks.otel.otlp;

import java.io.IOException;
import java.util.Locale;
import okhttp3.Response;
import okio.Buffer;
import okio.ByteString;

/**
 * An answer's body, or its beginning.
 *
 * @param type its content type, in small letters; empty where the server names none
 * @param isWhole whether there was no more of it
 */
record Body(String type, ByteString content, boolean isWhole) {

    /** Reads no more than so many bytes, however many there are. */
    static Body read(Response response, int limit) throws IOException {
        Buffer buffer = new Buffer();
        long read = 0;
        while (read != -1 && buffer.size() <= limit) {
            read = response.body().source().read(buffer, limit + 1 - buffer.size());
        }
        boolean whole = buffer.size() <= limit;
        return new Body(type(response), buffer.readByteString(Math.min(limit, buffer.size())), whole);
    }

    /** As much of it as comes before whatever goes wrong: of an answer that says enough without it. */
    static Body tryToRead(Response response, int limit) {
        Buffer buffer = new Buffer();
        try {
            long read = 0;
            while (read != -1 && buffer.size() < limit) {
                read = response.body().source().read(buffer, limit - buffer.size());
            }
        } catch (IOException e) {
            // what there is must do
        }
        return new Body(type(response), buffer.readByteString(), false);
    }

    private static String type(Response response) {
        String type = response.header("Content-Type");
        return type == null ? "" : type.toLowerCase(Locale.ROOT);
    }

    boolean isEmpty() {
        return content.size() == 0;
    }

    boolean isHtml() {
        return type.contains("html") || startsWith('<');
    }

    boolean isJson() {
        return type.contains("json") || startsWith('{');
    }

    /** Whether it may be a protobuf message, by what the server says. */
    boolean isProtobuf() {
        return type.isEmpty() || type.contains("protobuf") || type.contains("octet-stream");
    }

    private boolean startsWith(char first) {
        return !isEmpty() && content.getByte(0) == first;
    }

    byte[] bytes() {
        return content.toByteArray();
    }

    String text() {
        return content.utf8();
    }
}
