package dev.rlm.cli.terminal;

/**
 * Makes recorded text safe to print: a terminal obeys control characters, and the text may come from anybody. Each is
 * replaced by something that can be seen.
 */
public final class Printable {
    private static final int CONTROL_PICTURES = 0x2400;
    private static final char DELETE = '\u007F';
    private static final char DELETE_PICTURE = '\u2421';

    private Printable() {}

    /** The text; line feeds stay. */
    public static String text(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        text.codePoints().forEach(point -> append(point, safe));
        return safe.toString();
    }

    /** The text on one line. */
    public static String line(String text) {
        return text(text).replace('\n', '⏎');
    }

    /** The same for a line of JSON, which stays JSON and means the same. */
    public static String json(String json) {
        StringBuilder safe = new StringBuilder(json.length());
        json.codePoints().forEach(point -> {
            if (isUnsafe(point)) {
                safe.append(String.format("\\u%04x", point));
            } else {
                safe.appendCodePoint(point);
            }
        });
        return safe.toString();
    }

    private static void append(int point, StringBuilder safe) {
        if (point == '\n') {
            safe.append('\n');
        } else if (point == '\t') {
            safe.append("    ");
        } else if (point < ' ') {
            safe.appendCodePoint(CONTROL_PICTURES + point);
        } else if (point == DELETE) {
            safe.append(DELETE_PICTURE);
        } else if (isUnsafe(point)) {
            safe.append(String.format("<U+%04X>", point));
        } else {
            safe.appendCodePoint(point);
        }
    }

    /** Control characters, line separators, halves of surrogate pairs, and what turns the direction of writing. */
    private static boolean isUnsafe(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                true;
            case Character.FORMAT -> isBidirectional(point);
            default -> false;
        };
    }

    private static boolean isBidirectional(int point) {
        return point == 0x061C
                || (point >= 0x200E && point <= 0x200F)
                || (point >= 0x202A && point <= 0x202E)
                || (point >= 0x2066 && point <= 0x2069);
    }
}
