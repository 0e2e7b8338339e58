package dev.rlm.journal.report;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Figures of runs: of all of them, and of each row.
 *
 * @param <F> figures of some runs
 */
final class Rows<F extends RunCounter> implements RunCounter {
    private final List<Dimension> dimensions;
    private final Supplier<F> maker;
    private final F all;
    private final SortedMap<List<String>, F> rows = new TreeMap<>(NaturalOrder.LISTS);

    /**
     * Rows without runs.
     *
     * @param dimensions by which runs are told apart; empty for not at all
     * @param maker makes the figures of no runs
     */
    Rows(List<Dimension> dimensions, Supplier<F> maker) {
        this.dimensions = List.copyOf(dimensions);
        this.maker = maker;
        this.all = maker.get();
    }

    @Override
    public void add(RunFacts run) {
        all.add(run);
        if (!dimensions.isEmpty()) {
            List<String> names = dimensions.stream()
                    .map(dimension -> dimension.of(run.summary()))
                    .toList();
            rows.computeIfAbsent(names, unknown -> maker.get()).add(run);
        }
    }

    List<Dimension> dimensions() {
        return dimensions;
    }

    /** Those of all runs. */
    F all() {
        return all;
    }

    /** How many rows there are. */
    int size() {
        return rows.size();
    }

    /** What the names of the rows are of, as people read it. */
    List<String> titles() {
        return dimensions.stream().map(Dimension::title).toList();
    }

    /** Takes each row by its names, one for each dimension; where nothing tells the runs apart, all runs. */
    void each(BiConsumer<List<String>, F> consumer) {
        if (dimensions.isEmpty()) {
            consumer.accept(List.of(), all);
        }
        rows.forEach(consumer);
    }

    /** Returns the rows as lines of a table, after one of nothing. */
    Stream<Fields> lines(Function<F, Fields> form) {
        Fields nothing = Dimension.fields(dimensions, Collections.nCopies(dimensions.size(), ""))
                .putAll(form.apply(maker.get()));
        return Stream.concat(Stream.of(nothing), fields(form));
    }

    private Stream<Fields> fields(Function<F, Fields> form) {
        return rows.entrySet().stream()
                .map(row -> Dimension.fields(dimensions, row.getKey()).putAll(form.apply(row.getValue())));
    }

    /** Returns all figures and those of the rows, as programs read them. */
    Fields allFields(Function<F, Fields> form) {
        return new Fields().put("all", form.apply(all)).put("rows", fields(form));
    }
}
