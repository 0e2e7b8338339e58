package dev.rlm.sinks.redaction;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The base64 in a text, decoded as far as it is asked for. What is decoded once is kept for the next question, so that
 * many questions about one text cost its length and no more. For one thread.
 */
final class Base64Runs {
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final byte[] VALUES = values();
    private static final int GROUP = 4; // digits that are three bytes
    private static final int MAX = 1 << 15; // digits decoded at once
    private static final int FIRST = 1 << 6; // for which there is room at first
    private static final int LEFT = MAX / 3; // of them that must be left behind a place, where there are more
    private static final int CONTEXT = 128; // digits before a place that are decoded, too
    private static final int MAX_INDENT = 64;
    static final int BEGINNING = 18; // bytes that tell whether more is worth decoding

    private final @Nullable Run[] latest = new Run[GROUP];

    static boolean isDigit(int c) {
        return value(c) >= 0;
    }

    private static int value(int c) {
        return c < VALUES.length ? VALUES[c] : -1;
    }

    private static byte[] values() {
        byte[] values = new byte['z' + 1];
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < DIGITS.length(); i++) {
            values[DIGITS.charAt(i)] = (byte) i;
        }
        values['-'] = values['+'];
        values['_'] = values['/'];
        return values;
    }

    /**
     * Returns the run around a place where one was decoded already.
     *
     * @param phase which digit of its group stands there, from 0 on
     */
    @Nullable
    Run known(int index, int phase) {
        for (Run run : latest) {
            int digit = run == null ? -1 : run.digitAt(index);
            if (run != null && digit >= 0 && digit % GROUP == phase && !run.endsNear(digit)) {
                return run;
            }
        }
        return null;
    }

    /** Decodes the run around a place, in which the digits of its group that are before it stand without a break. */
    Run decode(String text, int index, int phase) {
        System.arraycopy(latest, 0, latest, 1, GROUP - 1);
        latest[0] = decoded(text, index, phase);
        return latest[0];
    }

    /** Returns whether digits stand there without a break. */
    static boolean isRun(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (i < 0 || !isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * The first bytes that stand there, each as a character; fewer where the run ends.
     *
     * @param from where their group begins
     * @param skipped how many of the group are left out
     */
    static String beginning(String text, int from, int skipped) {
        byte[] values = new byte[BEGINNING * Byte.SIZE / 6];
        int count = 0;
        int next = digit(text, from);
        while (next >= 0 && count < values.length) {
            values[count++] = (byte) digitValue(text, next);
            next = digit(text, next + width(text, next));
        }
        String bytes = latin1(values, count);
        return bytes.substring(Math.min(skipped, bytes.length()));
    }

    private static Run decoded(String text, int index, int phase) {
        int from = index;
        int digits = 0; // before the place
        while (from > 0 && digits < CONTEXT + phase && isDigit(text.charAt(from - 1))) {
            from--;
            digits++;
        }
        int skipped = Math.floorMod(digits - phase, GROUP);
        int at = from + skipped;
        int[] places = new int[FIRST];
        byte[] values = new byte[FIRST];
        int count = 0;
        while (count < MAX) {
            int next = digit(text, at);
            if (next < 0) {
                break;
            } else if (count == places.length) {
                places = Arrays.copyOf(places, 2 * count);
                values = Arrays.copyOf(values, 2 * count);
            }
            places[count] = next;
            values[count++] = (byte) digitValue(text, next);
            at = next + width(text, next);
        }
        return new Run(Arrays.copyOf(places, count), at, latin1(values, count), count == MAX);
    }

    /** Returns the place of the next digit, also in the next line or behind a backslash; -1 where the run ends. */
    private static int digit(String text, int index) {
        int at = index;
        if (at < text.length() && isDigit(text.charAt(at))) {
            return at; // as nearly always
        }
        for (int i = 0; i < MAX_INDENT && at < text.length(); i++) {
            char c = text.charAt(at);
            if (c == '\\' && at + 1 < text.length()) {
                char escaped = text.charAt(at + 1);
                if (escaped == '/') {
                    return at + 1;
                } else if (escaped != 'n' && escaped != 'r') {
                    return -1;
                }
                at += 2;
            } else if (c == '\n' || c == '\r' || (i > 0 && (c == ' ' || c == '\t'))) {
                at++;
            } else {
                return isDigit(c) || width(text, at) > 1 ? at : -1;
            }
        }
        return -1;
    }

    private static int digitValue(String text, int index) {
        return value(
                width(text, index) == 1
                        ? text.charAt(index)
                        : text.regionMatches(true, index + 2, "B", 0, 1) ? '+' : '/');
    }

    /** Returns how many characters the digit takes: three where it is escaped for an address. */
    private static int width(String text, int index) {
        return text.charAt(index) == '%'
                        && (text.regionMatches(true, index, "%2B", 0, 3)
                                || text.regionMatches(true, index, "%2F", 0, 3))
                ? 3
                : 1;
    }

    private static String latin1(byte[] values, int count) {
        StringBuilder bytes = new StringBuilder(count * 6 / Byte.SIZE);
        int bits = 0;
        for (int i = 0; i < count; i++) {
            bits = bits << 6 | values[i];
            int left = (i + 1) * 6 % Byte.SIZE; // bits that begin the next byte
            if (i % GROUP != 0) {
                bytes.append((char) (bits >> left & 0xFF));
            }
        }
        return bytes.toString();
    }

    /** Digits that follow one another, and what they mean. */
    static final class Run {
        private final int[] places; // where each digit stands
        private final int end; // behind the last one
        private final String bytes;
        private final boolean more;

        private Run(int[] places, int end, String bytes, boolean more) {
            this.places = places;
            this.end = end;
            this.bytes = bytes;
            this.more = more;
        }

        /** Returns the bytes, each as a character. */
        String bytes() {
            return bytes;
        }

        /** Returns the index of the digit at that place of the text; -1 for none. */
        int digitAt(int index) {
            return Arrays.binarySearch(places, index);
        }

        private boolean endsNear(int digit) {
            return more && digit > places.length - LEFT;
        }

        /** Returns the place in the text where the byte begins. */
        int from(int index) {
            return places[Math.min(index * Byte.SIZE / 6, places.length - 1)];
        }

        /** Returns the place in the text where the byte before it ends. */
        int to(int index) {
            int digits = (index * Byte.SIZE + 5) / 6;
            return digits >= places.length ? end : places[digits - 1] + 1;
        }
    }
}
