package dev.rlm.runs.report.phases;

import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.runs.report.sheets.NamedFigures;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Time of some runs by kind of work. */
final class PhaseRow implements RunCounter {
    private final SortedMap<PhaseKey, PhaseFigures> phases = new TreeMap<>();
    private long runs;
    private long nanos;

    @Override
    public void add(RunFacts run) {
        Duration duration = Objects.requireNonNull(run.summary().duration(), "a run with times");
        long length = duration.toNanos();
        List<Interval> intervals = Intervals.of(run.events(), length);
        runs++;
        nanos += length;
        intervals.forEach(interval -> figures(interval.key()).add(interval));
        Timeline.of(intervals, length).forEach((key, part) -> figures(key).add(part));
    }

    private PhaseFigures figures(PhaseKey key) {
        return phases.computeIfAbsent(key, unknown -> new PhaseFigures());
    }

    long runs() {
        return runs;
    }

    /** The time of all of them together. */
    Duration time() {
        return Duration.ofNanos(nanos);
    }

    Stream<NamedFigures> phases() {
        return phases.entrySet().stream().map(phase -> phase.getValue().fields(phase.getKey(), nanos));
    }

    NamedFigures fields() {
        return new NamedFigures().put("runs", runs).put("seconds", time()).put("phases", phases());
    }
}
