package dev.rlm.sinks.redaction.regex;

/**
 * The ends of escapes, which look like the letters and digits of a word: of terminals ({@code ESC[32m}, raw or written as
 * {@code \x1b[32m}), of strings ({@code \n}, {@code \x20}, {@code \012}), of addresses ({@code %20}) and of
 * mail ({@code =3D}).
 */
final class EscapeEnds {
    private static final char ESC = 27;
    private static final String[] ESCAPES = {"" + ESC, "u001b", "x1b", "033", "\\e", "u{1b}", "u009b", "x9b", "\u009b"};
    private static final int MAX_PARAMETERS = 24;

    private EscapeEnds() {}

    /** Returns whether one ends right before the index. */
    static boolean isAt(String text, int index) {
        return isLetter(text, index)
                || isNumber(text, index, "%", 2)
                || isNumber(text, index, "%25", 2)
                || isNumber(text, index, "\\x", 2)
                || isNumber(text, index, "\\u", 4)
                || isOctal(text, index)
                || isMail(text, index)
                || isTerminal(text, index);
    }

    private static boolean isLetter(String text, int index) {
        return index > 1 && text.charAt(index - 2) == '\\' && "nrtbfaev0".indexOf(text.charAt(index - 1)) >= 0;
    }

    private static boolean isNumber(String text, int index, String prefix, int digits) {
        int from = index - digits - prefix.length();
        return from >= 0 && text.startsWith(prefix, from) && Escapes.isHex(text, index - digits, index);
    }

    private static boolean isOctal(String text, int index) {
        return index > 3
                && text.charAt(index - 4) == '\\'
                && "01".indexOf(text.charAt(index - 3)) >= 0
                && isOctalDigit(text.charAt(index - 2))
                && isOctalDigit(text.charAt(index - 1));
    }

    private static boolean isOctalDigit(char c) {
        return c >= '0' && c <= '7';
    }

    /** Of quoted-printable text: those of ASCII, which are written with capitals. */
    private static boolean isMail(String text, int index) {
        return index > 2
                && text.charAt(index - 3) == '='
                && "0237".indexOf(text.charAt(index - 2)) >= 0
                && "0123456789ABCDEF".indexOf(text.charAt(index - 1)) >= 0;
    }

    /** A control sequence, whose introducer may be lost where it is a colour; or the choice of a character set. */
    private static boolean isTerminal(String text, int index) {
        int from = index - 1;
        if (from < 1) {
            return false;
        }
        if ("()".indexOf(text.charAt(from - 1)) >= 0) {
            return isEscapeBefore(text, from - 1);
        }
        while (from > 0 && index - from < MAX_PARAMETERS && isParameter(text.charAt(from - 1))) {
            from--;
        }
        return from > 0
                && text.charAt(from - 1) == '['
                && (isEscapeBefore(text, from - 1) || (text.charAt(index - 1) == 'm' && from < index - 1));
    }

    private static boolean isParameter(char c) {
        return (c >= '0' && c <= '9') || ";:?".indexOf(c) >= 0;
    }

    private static boolean isEscapeBefore(String text, int index) {
        for (String escape : ESCAPES) {
            if (text.regionMatches(true, index - escape.length(), escape, 0, escape.length())) {
                return true;
            }
        }
        return text.startsWith("\u009b", index);
    }
}
