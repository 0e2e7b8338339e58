package dev.rlm.server.http;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** Segments of the path of an address. None leads out of the place that the segments before it name. */
public final class PathSegment {
    private static final Pattern SEPARATOR = Pattern.compile("[/\\\\]");
    private static final String UP = "..";
    private static final String HERE = ".";

    private PathSegment() {}

    /**
     * Returns a text as a segment.
     *
     * @throws IllegalArgumentException if it is one or two dots, which are no name in an address, however they are written
     */
    public static String encoded(String text) {
        if (!isName(text)) {
            throw new IllegalArgumentException("'" + text + "' cannot be part of an address");
        }
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns whether a text can be a segment. */
    public static boolean isName(String text) {
        return !text.equals(HERE) && !text.equals(UP);
    }

    /**
     * Returns a segment's text.
     *
     * @throws RefusedException if it is not percent-encoded as it must be
     */
    public static String decoded(String segment) throws RefusedException {
        try {
            return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new RefusedException(400, "the path is not percent-encoded as it must be");
        }
    }

    /**
     * Returns whether a segment names something, rather than the place where it stands.
     *
     * @throws RefusedException if it leads out of that place: servers and clients take {@code %2e} for a dot and a backslash for a slash
     */
    public static boolean names(String segment) throws RefusedException {
        String text = decoded(segment);
        if (segment.indexOf('\\') >= 0 || List.of(SEPARATOR.split(text, -1)).contains(UP)) {
            throw new RefusedException(400, "the path leads out of the place that it names");
        }
        return !text.equals(HERE);
    }
}
