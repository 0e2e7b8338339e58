package dev.rlm.runs.report.figures;

import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.sheets.NamedFigures;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Figures of runs: of all of them, and of each row.
 *
 * @param <F> figures of some runs
 */
public final class Rows<F extends RunCounter> implements RunCounter {
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
    public Rows(List<Dimension> dimensions, Supplier<F> maker) {
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

    public List<Dimension> dimensions() {
        return dimensions;
    }

    /** Those of all runs. */
    public F all() {
        return all;
    }

    /** Takes each row by its names; where nothing tells the runs apart, all runs. */
    public void each(BiConsumer<NamedFigures, F> consumer) {
        if (dimensions.isEmpty()) {
            consumer.accept(new NamedFigures(), all);
        }
        rows.forEach((names, row) -> consumer.accept(names(names), row));
    }

    /** Takes each row by its names, and at last all runs together where there is more or less than one row. */
    public void eachAndAll(BiConsumer<NamedFigures, F> consumer) {
        each(consumer);
        if (!dimensions.isEmpty() && rows.size() != 1) {
            consumer.accept(noNames().put(dimensions.get(0).field(), "all"), all);
        }
    }

    /** The names of a row of nothing. */
    public NamedFigures noNames() {
        return names(Collections.nCopies(dimensions.size(), ""));
    }

    private NamedFigures names(List<String> names) {
        return Dimension.names(dimensions, names);
    }

    /** All figures and those of the rows, as programs read them. */
    public NamedFigures fields(Function<F, NamedFigures> form) {
        return new NamedFigures()
                .put("all", form.apply(all))
                .put(
                        "rows",
                        rows.entrySet().stream().map(row -> names(row.getKey()).putAll(form.apply(row.getValue()))));
    }
}
