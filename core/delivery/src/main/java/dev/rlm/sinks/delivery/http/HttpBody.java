package dev.rlm.sinks.delivery.http;

import java.io.IOException;
import java.util.Locale;
import okhttp3.Response;
import okio.BufferedSource;
import okio.ByteString;

/**
 * Body of an answer, or its beginning.
 *
 * @param type its content type, in small letters; empty where the server names none
 * @param isWhole whether there was no more of it
 */
public record HttpBody(String type, ByteString content, boolean isWhole) {

    /** Reads no more than so many bytes, however many there are. */
    public static HttpBody read(Response response, int limit) throws IOException {
        boolean whole = !response.body().source().request(limit + 1L);
        return of(response, limit, whole);
    }

    /** Reads as much as comes before whatever goes wrong: of an answer that says enough without it. */
    public static HttpBody tryToRead(Response response, int limit) {
        try {
            response.body().source().request(limit);
        } catch (IOException e) {
            // what there is must do
        }
        return of(response, limit, false);
    }

    private static HttpBody of(Response response, int limit, boolean whole) {
        BufferedSource source = response.body().source();
        long bytes = Math.min(limit, source.getBuffer().size());
        String type = response.header("Content-Type");
        return new HttpBody(
                type == null ? "" : type.toLowerCase(Locale.ROOT),
                source.getBuffer().snapshot((int) bytes),
                whole);
    }

    public boolean isEmpty() {
        return content.size() == 0;
    }

    public boolean isHtml() {
        return type.contains("html") || startsWith('<');
    }

    public boolean isJson() {
        return type.contains("json") || startsWith('{');
    }

    private boolean startsWith(char first) {
        return !isEmpty() && content.getByte(0) == first;
    }

    public byte[] bytes() {
        return content.toByteArray();
    }

    public String text() {
        return content.utf8();
    }
}
