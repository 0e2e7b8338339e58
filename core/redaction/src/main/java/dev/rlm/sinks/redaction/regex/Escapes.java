package dev.rlm.sinks.redaction.regex;

import java.nio.charset.StandardCharsets;

/**
 * Ways in which text stands in other text: in JSON, also within JSON, with backslashes; in addresses with per cent signs,
 * also twice.
 */
public final class Escapes {
    private static final int HEX = 16;
    private static final int UNICODE = 4; // digits behind a u
    private static final int MAX_MARKS = 3;
    private static final int MAX_REPEATED = 4; // times that a per cent sign is escaped itself

    private Escapes() {}

    public static boolean isAlphanumeric(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    public static boolean isHex(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (i < 0 || Character.digit(text.charAt(i), HEX) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether no word goes on there: what stands before is no part of one, or ends an escape. */
    public static boolean isStartOfWord(String text, int index) {
        if (index == 0) {
            return true;
        }
        char before = text.charAt(index - 1);
        return (!isAlphanumeric(before) && before != '_' && before != '-') || EscapeEnds.isAt(text, index);
    }

    /** The same where hyphens and underlines before it that are part of no word do not count, such as those of a diff. */
    public static boolean isStartOfWordOrMarked(String text, int index) {
        int from = index;
        while (from > 0 && index - from < MAX_MARKS && "-_".indexOf(text.charAt(from - 1)) >= 0) {
            from--;
        }
        return isStartOfWord(text, from);
    }

    /**
     * Returns the value's end if it stands at the index, as it is or escaped; else -1. An escape is taken for one character
     * of the value wherever it can be.
     *
     * @param pass an index of the value that has to stand at {@code at}
     */
    public static int end(String text, int index, String value, int pass, int at) {
        int position = index;
        for (int i = 0; i < value.length(); ) {
            if ((i == pass && position != at) || (i < pass && position > at)) {
                return -1;
            }
            int slashes = run(value, i);
            int there = slashes == 0 ? 0 : percentSlashes(text, position, slashes);
            if (there == 0) {
                there = run(text, position);
                if (there < slashes) {
                    return -1;
                }
            }
            position += there;
            i += slashes;
            if (i == value.length()) {
                return position;
            }
            int c = value.codePointAt(i);
            position = end(text, position, c, there > 0, slashes > 0);
            if (position < 0) {
                return -1;
            }
            i += Character.charCount(c);
        }
        return position;
    }

    /** Counts the backslashes that stand there. */
    private static int run(String text, int index) {
        int end = index;
        while (end < text.length() && text.charAt(end) == '\\') {
            end++;
        }
        return end - index;
    }

    /** Returns the length of so many backslashes that stand there with per cent signs; 0 where they do not. */
    private static int percentSlashes(String text, int index, int count) {
        int position = index;
        for (int i = 0; i < count; i++) {
            position = percent(text, position, '\\');
            if (position < 0) {
                return 0;
            }
        }
        return position - index;
    }

    /** Returns the end of a character that stands there, behind backslashes or not. */
    private static int end(String text, int index, int c, boolean slashed, boolean ownSlashes) {
        if (slashed) {
            int end = slashed(text, index, c);
            return end < 0 && ownSlashes ? plain(text, index, c) : end;
        }
        int end = percent(text, index, c);
        if (end < 0 && c == ' ' && text.startsWith("+", index)) {
            return index + 1;
        }
        return end < 0 ? plain(text, index, c) : end;
    }

    private static int plain(String text, int index, int c) {
        return index < text.length() && text.codePointAt(index) == c ? index + Character.charCount(c) : -1;
    }

    /** Reads what follows a backslash: a letter for a control character, the character itself, or its number. */
    private static int slashed(String text, int index, int c) {
        if (c == '"' || c == '\'' || c == '/') {
            if (plain(text, index, c) > 0) {
                return index + 1;
            }
        }
        int control = "\n\r\t\b\f".indexOf(c);
        if (control >= 0 && plain(text, index, "nrtbf".charAt(control)) > 0) {
            return index + 1;
        }
        int end = index;
        for (char unit : Character.toChars(c)) {
            end += run(text, end);
            if (!text.startsWith("u", end)
                    || end + 1 + UNICODE > text.length()
                    || !isHex(text, end + 1, end + 1 + UNICODE)
                    || Integer.parseInt(text, end + 1, end + 1 + UNICODE, HEX) != unit) {
                return -1;
            }
            end += 1 + UNICODE;
        }
        return end;
    }

    /** The bytes of a character in UTF-8, each as a per cent sign and two digits. */
    private static int percent(String text, int index, int c) {
        if (!text.startsWith("%", index)) {
            return -1;
        }
        int end = index;
        for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
            if (!text.startsWith("%", end)) {
                return -1;
            }
            end++;
            for (int i = 0; i < MAX_REPEATED && !isByte(text, end, b) && text.startsWith("25", end); i++) {
                end += 2;
            }
            if (!isByte(text, end, b)) {
                return -1;
            }
            end += 2;
        }
        return end;
    }

    private static boolean isByte(String text, int index, byte value) {
        return index + 2 <= text.length()
                && isHex(text, index, index + 2)
                && Integer.parseInt(text, index, index + 2, HEX) == (value & 0xFF);
    }
}
