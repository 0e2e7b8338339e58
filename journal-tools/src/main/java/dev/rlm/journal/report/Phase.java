package dev.rlm.journal.report;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What some runs have spent on one thing, of all their time.
 *
 * @param nanos how long the runs took
 */
record Phase(PhaseKey key, PhaseFigures figures, long nanos) {
    private static final double NANOS = 1e9;

    /** A figure for a person; {@code null} for what goes on beside all that could be counted. */
    @Nullable
    Object counted(Object figure) {
        return key.kind() == PhaseKey.Kind.OTHER ? null : figure;
    }

    Duration total() {
        return Duration.ofNanos(figures.totalNanos());
    }

    /** For which part of the runs' time it went on; NaN where they took none. */
    double share() {
        return (double) figures.coveredNanos() / nanos;
    }

    /** Which part of the runs' time belongs to it. */
    double ownShare() {
        return figures.ownNanos() / nanos;
    }

    Fields fields() {
        return new Fields()
                .put("kind", key.kind().field())
                .text("name", key.name())
                .put("count", figures.count())
                .put("failed", figures.failed())
                .put("total", total())
                .put("share", share())
                .put("own", figures.ownNanos() / NANOS)
                .put("own_share", ownShare())
                .put("mean", figures.totalNanos() / NANOS / figures.count())
                .percentiles("", figures.lengths())
                .put("max", figures.lengths().percentile(100));
    }
}
