package dev.rlm.journal.line;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Short texts that come again on line after line, such as names of fields and ids of runs: each is made once, as long as no
 * other takes its place. For any thread: one that does not see what another has made makes it again.
 */
final class Words {
    private static final int MAX_LENGTH = 64;
    private static final @Nullable String[] KNOWN = new @Nullable String[1 << 10];

    private Words() {}

    /** The text of bytes that are plain ASCII. */
    static String of(byte[] bytes, int from, int length) {
        if (length == 0 || length > MAX_LENGTH) {
            return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
        }
        int hash = length + 31 * (bytes[from] + 31 * (bytes[from + length / 2] + 31 * bytes[from + length - 1]));
        int place = (hash ^ (hash >>> 10)) & (KNOWN.length - 1);
        String known = KNOWN[place];
        if (known == null || !isSame(known, bytes, from, length)) {
            known = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
            KNOWN[place] = known;
        }
        return known;
    }

    private static boolean isSame(String known, byte[] bytes, int from, int length) {
        if (known.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (known.charAt(i) != bytes[from + i]) {
                return false;
            }
        }
        return true;
    }
}
