package dev.rlm.console;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** Parts of addresses. */
final class UrlEncoding {
    private UrlEncoding() {}

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /**
     * Returns what was {@linkplain #encode encoded}.
     *
     * @throws IllegalArgumentException if it was not
     */
    static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /**
     * Returns the segments of a path, decoded.
     *
     * @throws IllegalArgumentException if one cannot be
     */
    static List<String> segments(String path) {
        return Stream.of(path.split("/"))
                .filter(part -> !part.isEmpty())
                .map(part -> decode(part.replace("+", "%2B")))
                .toList();
    }
}
