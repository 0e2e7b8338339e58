package dev.rlm.runs;

import dev.rlm.cli.terminal.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Limits on how much of a text is shown. The rest is counted.
 *
 * @param characters of a text that stands on lines of its own
 * @param lines of such a text
 * @param cell characters of a text in a table
 */
public record TextLimits(int characters, int lines, int cell) {
    /** Enough to recognize the text. */
    public static final TextLimits SHORT = new TextLimits(1_000, 12, 60);
    /** All of it. */
    public static final TextLimits FULL = new TextLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** The text in lines, safe to print. */
    public List<String> of(String text) {
        String shown = firstLines(cut(text, characters));
        List<String> result = new ArrayList<>(Printable.text(shown).lines().toList());
        int rest = text.codePointCount(shown.length(), text.length());
        if (rest > 0 && !text.substring(shown.length()).isBlank()) {
            result.add(String.format(Locale.ROOT, "… %,d more characters (--full shows them)", rest));
        }
        return result;
    }

    private String firstLines(String text) {
        int end = -1;
        for (int i = 0; i < lines; i++) {
            end = text.indexOf('\n', end + 1);
            if (end < 0) {
                return text;
            }
        }
        return text.substring(0, end);
    }

    /** The text as a cell of a table, safe to print. */
    public String ofCell(String text) {
        String shown = cut(text, cell);
        int rest = text.codePointCount(shown.length(), text.length());
        return Printable.line(shown) + (rest > 0 ? String.format(Locale.ROOT, "… (+%,d)", rest) : "");
    }

    private static String cut(String text, int codePoints) {
        return text.codePointCount(0, text.length()) <= codePoints
                ? text
                : text.substring(0, text.offsetByCodePoints(0, codePoints));
    }
}
