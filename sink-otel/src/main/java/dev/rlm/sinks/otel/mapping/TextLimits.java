package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.Content;

/** Limits of texts on spans, and texts cut to them. */
public final class TextLimits {
    /** Tempo cuts attribute values at this many bytes unless it is told otherwise. */
    static final int PREVIEW_BYTES = 2_048;

    static final int FULL_BYTES = 1 << 20;

    private TextLimits() {}

    /** A name or an id, cut to what back ends keep. */
    public static String name(String name) {
        return cutToBytes(name, PREVIEW_BYTES);
    }

    /** A second form of a text on one span, cut to a limit of its own: all forms go in one request. */
    public static String again(String text, ContentCapture capture) {
        return cutToBytes(text, capture.maxBytesAgain());
    }

    /** The longest beginning that takes no more bytes in UTF-8; never half a character. */
    static String cutToBytes(String text, int maxBytes) {
        return cut(Content.wellFormed(text), maxBytes);
    }

    /** The same of a text that is well-formed. */
    static String cut(String text, int maxBytes) {
        if (text.length() * 3L <= maxBytes) {
            return text; // a UTF-16 unit takes at most three bytes
        }
        int bytes = 0;
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
            if (bytes > maxBytes) {
                return text.substring(0, i);
            }
            i += Character.charCount(codePoint);
        }
        return text;
    }
}
