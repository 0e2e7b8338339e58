package dev.rlm.cli.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Text in columns; control characters in it are made visible. Where a terminal is too narrow for all of it, texts are cut,
 * and columns are shortened or left out in the order in which that was allowed, those that tell nothing before all others.
 */
public final class Table {
    static final String GAP = "  ";

    private final List<Column> columns = new ArrayList<>();
    private final List<TableLayout.Measure> measures = new ArrayList<>();

    /** A table; the numbers, from 0, of the columns to align at the right are given. */
    public Table(List<String> head, Set<Integer> rightAligned) {
        for (int i = 0; i < head.size(); i++) {
            columns.add(Column.of(head.get(i), rightAligned.contains(i)));
        }
    }

    /** Allows to cut the cells of these columns. */
    public Table cut(String... titles) {
        Set<String> all = Set.of(titles);
        columns.replaceAll(column -> all.contains(column.title()) ? column.cuttable() : column);
        return this;
    }

    /** Allows to replace the cells of a column by a shorter form. */
    public Table shorten(String title, UnaryOperator<String> shorter) {
        measures.add(new TableLayout.Measure(title, shorter));
        return this;
    }

    /** Allows to leave out these columns, one after another; of several with the same title the last. */
    public Table leaveOut(String... titles) {
        Stream.of(titles).forEach(title -> measures.add(new TableLayout.Measure(title, null)));
        return this;
    }

    /** Gives the cells of all columns with that title their colours. */
    public Table paint(String title, BiFunction<Ink, String, String> painter) {
        columns.replaceAll(column -> column.title().equals(title) ? column.painted(painter) : column);
        return this;
    }

    public void row(String... cells) {
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).cells().add(Printable.line(cells[i]));
        }
    }

    /** Prints all of it, however long the lines become. */
    public void print(PrintWriter out, Ink ink) {
        print(out, ink, TerminalWidth.UNLIMITED);
    }

    /**
     * Prints it on lines of that length, unless too little may be cut, shortened or left out.
     *
     * @return the titles of the columns that were left out
     */
    public List<String> print(PrintWriter out, Ink ink, int length) {
        TableLayout layout = new TableLayout(columns, measures, length);
        int[] widths = layout.widths(length);
        out.println(ink.bold(line(layout, (column, i) -> column.head(widths[i]))));
        int rows = columns.get(0).cells().size();
        for (int row = 0; row < rows; row++) {
            int at = row;
            out.println(line(layout, (column, i) -> column.cell(at, widths[i], ink)));
        }
        return layout.leftOut();
    }

    private static String line(TableLayout layout, BiFunction<Column, Integer, String> cell) {
        List<String> cells = new ArrayList<>();
        for (Column column : layout.shown()) {
            cells.add(cell.apply(column, cells.size()));
        }
        return String.join(GAP, cells).stripTrailing();
    }
}
