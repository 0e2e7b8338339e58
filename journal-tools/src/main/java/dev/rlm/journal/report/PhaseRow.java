package dev.rlm.journal.report;

import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** What some runs have spent their time on. */
final class PhaseRow {
    private final SortedMap<PhaseKey, PhaseFigures> phases = new TreeMap<>();
    private long runs;
    private long nanos;

    void add(RunFacts run) {
        long length = Objects.requireNonNull(run.summary().duration(), "a run with times")
                .toNanos();
        List<Stretch> stretches = Stretches.of(run.events(), length);
        runs++;
        nanos += length;
        stretches.forEach(stretch -> figures(stretch.key()).add(stretch));
        Timeline.of(stretches, length).forEach((key, part) -> figures(key).add(part));
    }

    private PhaseFigures figures(PhaseKey key) {
        return phases.computeIfAbsent(key, unknown -> new PhaseFigures());
    }

    SortedMap<PhaseKey, PhaseFigures> phases() {
        return phases;
    }

    long runs() {
        return runs;
    }

    /** The time of all of them together. */
    long nanos() {
        return nanos;
    }
}
