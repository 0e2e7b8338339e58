package dev.rlm.journal.report;

import dev.rlm.journal.Excerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table: names at the left, figures at the right. Columns in which no row has anything are left out.
 *
 * @param <F> what the figures of a row are read off
 */
final class Grid<F> {
    private final List<String> head;
    private final int names;
    private final List<Function<F, @Nullable Object>> figures = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();
    private List<String> leastImportant = List.of();

    /** A table without rows. */
    Grid(List<String> names) {
        this.head = new ArrayList<>(names);
        this.names = names.size();
    }

    /** Adds a column of figures, to be shown as {@link Numbers#text} does. */
    Grid<F> column(String title, Function<F, @Nullable Object> figure) {
        head.add(title);
        figures.add(figure);
        return this;
    }

    /** Allows to leave out these columns, one after another, where there is little room. */
    Grid<F> leaveOut(String... titles) {
        leastImportant = List.of(titles);
        return this;
    }

    /** Adds a row. Names may come from anybody; long ones are cut. */
    void row(List<String> names, F row) {
        Stream<String> cells = figures.stream().map(figure -> Numbers.text(figure.apply(row)));
        rows.add(Stream.concat(names.stream().map(Grid::name), cells).toList());
    }

    private static String name(String text) {
        return text.isEmpty() ? Numbers.NONE : Excerpt.SHORT.ofCell(text);
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    List<String> head() {
        return kept(head);
    }

    List<List<String>> rows() {
        return rows.stream().map(this::kept).toList();
    }

    List<String> names() {
        return head.subList(0, names);
    }

    /** The titles of the columns that may be left out, the least important first. */
    List<String> leastImportant() {
        return leastImportant;
    }

    /** The numbers, from 0, of the columns with figures. */
    Set<Integer> figures() {
        List<Integer> columns = columns();
        return IntStream.range(0, columns.size())
                .filter(i -> columns.get(i) >= names)
                .boxed()
                .collect(Collectors.toSet());
    }

    private List<String> kept(List<String> cells) {
        return columns().stream().map(cells::get).toList();
    }

    private List<Integer> columns() {
        return IntStream.range(0, head.size())
                .filter(i -> rows.stream().anyMatch(row -> !row.get(i).equals(Numbers.NONE)))
                .boxed()
                .toList();
    }
}
