package dev.rlm.sinks.jsonl;

import org.jspecify.annotations.Nullable;

/**
 * A short text that comes again on line after line, such as the id of a run or the name of a tool, as JSON: each is encoded
 * once, as long as no other takes its place. For any thread: one that does not see what another has encoded does so again.
 */
final class EncodedWord {
    private static final int LONGEST = 64; // characters
    private static final @Nullable EncodedWord[] KNOWN = new @Nullable EncodedWord[1 << 10];

    private final String text;
    private final byte[] json;

    private EncodedWord(String text, byte[] json) {
        this.text = text;
        this.json = json;
    }

    static boolean isShort(String text) {
        return text.length() <= LONGEST;
    }

    /** What the text was encoded to; {@code null} where that is not known. */
    static byte @Nullable [] json(String text) {
        EncodedWord known = KNOWN[place(text)];
        return known != null && known.text.equals(text) ? known.json : null;
    }

    static void keep(String text, byte[] json) {
        KNOWN[place(text)] = new EncodedWord(text, json);
    }

    private static int place(String text) {
        int hash = text.hashCode();
        return (hash ^ (hash >>> 10)) & (KNOWN.length - 1);
    }
}
