package dev.rlm.sinks.jsonl.segment;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;

/**
 * A piece of a text, as bytes of Latin 1 where it is of that, in memory that is used again. The virtual machine takes the
 * characters out of the text and makes them bytes with instructions for many at once, as it does for no loop.
 */
public final class TextPiece {
    /** The most characters. */
    public static final int LENGTH = 1 << 12;

    private final CharsetEncoder latin1 = StandardCharsets.ISO_8859_1.newEncoder();
    private final CharBuffer characters = CharBuffer.allocate(LENGTH);
    private final ByteBuffer bytes = ByteBuffer.allocate(LENGTH);

    /** Takes in what stands between two places of a text. */
    void take(String text, int from, int to) {
        text.getChars(from, to, characters.array(), 0);
        characters.limit(to - from);
    }

    /** Makes bytes of the characters from there on, each at its place, and returns where the first is that is none of Latin 1. */
    public int latinEnd(int from) {
        bytes.clear().position(from);
        var unused = latin1.reset().encode(characters.position(from), bytes, true);
        return bytes.position();
    }

    public byte[] bytes() {
        return bytes.array();
    }
}
