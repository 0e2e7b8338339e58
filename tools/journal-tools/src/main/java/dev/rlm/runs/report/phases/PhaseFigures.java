package dev.rlm.runs.report.phases;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.statistics.Lengths;
import java.time.Duration;

/** Time that some runs have spent on one {@linkplain PhaseKey kind of work}. */
final class PhaseFigures {
    private static final double NANOS = 1e9;

    private final Lengths lengths = new Lengths();
    private long count;
    private long failed;
    private long totalNanos; // from start to end of each, whatever went on within it or beside it
    private double ownNanos; // without what went on within, and divided among what went on beside
    private long coveredNanos; // while at least one of them went on

    void add(Interval interval) {
        lengths.add(Duration.ofNanos(interval.nanos()));
        count++;
        failed += interval.failed() ? 1 : 0;
        totalNanos += interval.nanos();
    }

    void add(Timeline.Part part) {
        ownNanos += part.own();
        coveredNanos += part.covered();
    }

    /**
     * The figures. Where nothing could be counted, people see none.
     *
     * @param runs how many nanoseconds the runs took
     */
    NamedFigures fields(PhaseKey key, long runs) {
        Duration total = Duration.ofNanos(totalNanos);
        double share = (double) coveredNanos / runs;
        double mean = (double) totalNanos / count;
        return new NamedFigures()
                .put("kind", key.kind().field(), key.kind().title())
                .name("name", key.name())
                .put("count", count, Numbers.unlessZero(count))
                .put("failed", failed, counted(Numbers.text(failed)))
                .put("total", total, counted(Numbers.text(total)))
                .put("share", share, counted(Numbers.percent(share)))
                .put("own", ownNanos / NANOS, text(ownNanos))
                .put("own_share", ownNanos / runs, Numbers.percent(ownNanos / runs))
                .put("mean", totalNanos / NANOS / count, counted(text(mean)))
                .percentiles("", lengths)
                .put("max", lengths.percentile(100));
    }

    private String counted(String text) {
        return count == 0 ? Numbers.NONE : text;
    }

    private static String text(double nanos) {
        return Numbers.text(Duration.ofNanos(Math.round(nanos)));
    }
}
