package dev.rlm.journal.report;

import dev.rlm.sinks.schema.statistics.Lengths;
import java.time.Duration;

/** What some runs have spent on one thing. */
final class PhaseFigures {
    private final Lengths lengths = new Lengths();
    private long count;
    private long failed;
    private long totalNanos;
    private double ownNanos;
    private long coveredNanos;

    void add(Stretch stretch) {
        lengths.add(Duration.ofNanos(stretch.nanos()));
        count++;
        failed += stretch.failed() ? 1 : 0;
        totalNanos += stretch.nanos();
    }

    void add(Timeline.Part part) {
        ownNanos += part.own();
        coveredNanos += part.covered();
    }

    long count() {
        return count;
    }

    long failed() {
        return failed;
    }

    Lengths lengths() {
        return lengths;
    }

    /** From start to end of each, whatever went on within it or beside it. */
    long totalNanos() {
        return totalNanos;
    }

    double meanNanos() {
        return (double) totalNanos / count;
    }

    /** Without what went on within, and divided among what went on beside. */
    double ownNanos() {
        return ownNanos;
    }

    /** For how long at least one of them went on. */
    long coveredNanos() {
        return coveredNanos;
    }
}
