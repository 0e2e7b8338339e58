package dev.rlm.runs.report.sheets;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.TextLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A table: names at the left, figures at the right. Columns in which no row has anything are left out.
 *
 * <p>A column is given by the name of what it shows, as {@code error_rate} or, with another title, {@code of runs=solved}.
 */
public final class Grid {
    private final List<Column> columns = new ArrayList<>();
    private List<String> leastImportant = List.of();

    /** A table without rows. */
    public Grid(Stream<String> names, String... figures) {
        names.forEach(name -> columns.add(Column.of(name, true)));
        Stream.of(figures).forEach(figure -> columns.add(Column.of(figure, false)));
    }

    /** Allows to leave out the columns with these titles, one after another, where there is little room. */
    public Grid leaveOut(String... titles) {
        leastImportant = List.of(titles);
        return this;
    }

    /** Adds a row. Names may come from anybody; long ones are cut. */
    public void row(NamedFigures row) {
        columns.forEach(column -> column.add(row.text(column.field)));
    }

    public boolean isEmpty() {
        return columns.get(0).cells.isEmpty();
    }

    List<String> head() {
        return kept().stream().map(Column::title).toList();
    }

    List<List<String>> rows() {
        List<Column> kept = kept();
        return IntStream.range(0, columns.get(0).cells.size())
                .mapToObj(row ->
                        kept.stream().map(column -> column.cells.get(row)).toList())
                .toList();
    }

    List<String> names() {
        return columns.stream().filter(Column::isName).map(Column::title).toList();
    }

    /** The titles of the columns that may be left out, the least important first. */
    List<String> leastImportant() {
        return leastImportant;
    }

    /** The numbers, from 0, of the columns with figures. */
    Set<Integer> figures() {
        List<Column> kept = kept();
        return IntStream.range(0, kept.size())
                .filter(i -> !kept.get(i).isName)
                .boxed()
                .collect(Collectors.toSet());
    }

    private List<Column> kept() {
        return columns.stream()
                .filter(column -> column.cells.stream().anyMatch(cell -> !cell.equals(Numbers.NONE)))
                .toList();
    }

    private record Column(String title, String field, boolean isName, List<String> cells) {
        static Column of(String column, boolean isName) {
            int end = column.indexOf('=');
            String title = end < 0 ? column.replace('_', ' ') : column.substring(0, end);
            return new Column(title, column.substring(end + 1), isName, new ArrayList<>());
        }

        void add(String text) {
            cells.add(isName ? TextLimits.SHORT.ofCell(text) : text);
        }
    }
}
