package dev.rlm.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Column of a table.
 *
 * @param cut whether its cells may be cut where there is little room
 * @param paint gives a cell its colours
 * @param cells one a row
 */
record Column(String title, boolean right, boolean cut, BiFunction<Ink, String, String> paint, List<String> cells) {
    private static final int READABLE = 8; // characters that a cut cell has at least
    private static final int LEAST = 4; // where no column can be left out any more
    private static final Set<String> NOTHING = Set.of("", "0", "-");

    static Column of(String title, boolean right) {
        return new Column(title, right, false, (ink, cell) -> cell, new ArrayList<>());
    }

    Column cuttable() {
        return new Column(title, right, true, paint, cells);
    }

    Column painted(BiFunction<Ink, String, String> painter) {
        return new Column(title, right, cut, painter, cells);
    }

    Column shortened(UnaryOperator<String> shorter) {
        return new Column(title, right, cut, paint, cells.stream().map(shorter).toList());
    }

    int width() {
        return cells.stream().mapToInt(Column::length).reduce(length(title), Math::max);
    }

    /** Returns the width from which on it can be read. */
    int readableWidth() {
        return cut ? Math.min(width(), Math.max(READABLE, length(title))) : width();
    }

    int leastWidth() {
        return cut ? Math.min(width(), LEAST) : width();
    }

    /** Returns whether a reader learns nothing from it: no row has anything, or all rows have the same text. */
    boolean tellsNothing() {
        return NOTHING.containsAll(cells)
                || (cut && cells.size() > 1 && cells.stream().distinct().count() == 1);
    }

    String head(int width) {
        String shown = cut(title, width);
        return padded(shown, shown, width);
    }

    String cell(int row, int width, Ink ink) {
        String shown = cut(cells.get(row), width);
        return padded(shown, paint.apply(ink, shown), width);
    }

    private static String cut(String text, int width) {
        return length(text) > width ? text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…" : text;
    }

    private String padded(String text, String painted, int width) {
        String padding = " ".repeat(width - length(text));
        return right ? padding + painted : painted + padding;
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
