package dev.rlm.journal.report;

import dev.rlm.sinks.event.RunEvent;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** What runs have spent their time on: all of them, and those of each row. */
final class Phases implements RunCounter {
    private final List<Dimension> dimensions;
    private final PhaseRow all = new PhaseRow();
    private final SortedMap<RowKey, PhaseRow> rows = new TreeMap<>();
    private long untimed;

    /**
     * Those of no run yet.
     *
     * @param dimensions by which runs are told apart; empty for not at all
     */
    Phases(List<Dimension> dimensions) {
        this.dimensions = List.copyOf(dimensions);
    }

    @Override
    public void add(RunFacts run) {
        if (!run.summary().hasTimesWithin()) {
            untimed++;
            return;
        }
        all.add(run);
        if (!dimensions.isEmpty()) {
            rows.computeIfAbsent(RowKey.of(run.summary(), dimensions), key -> new PhaseRow())
                    .add(run);
        }
    }

    @Override
    public Set<Class<? extends RunEvent>> kinds() {
        return Stretches.KINDS;
    }

    List<Dimension> dimensions() {
        return dimensions;
    }

    /** How many runs are left out, since they do not tell the times of what they did. */
    long untimed() {
        return untimed;
    }

    PhaseRow all() {
        return all;
    }

    SortedMap<RowKey, PhaseRow> rows() {
        return rows;
    }
}
