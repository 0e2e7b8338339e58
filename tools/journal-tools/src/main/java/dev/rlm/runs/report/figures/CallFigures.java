package dev.rlm.runs.report.figures;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.statistics.Lengths;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls of a tool or of models. */
public final class CallFigures {
    private final Lengths latencies = new Lengths();
    private long calls;
    private long failed;
    private long runs;

    /** Adds a call; its latency is {@code null} where it is not known. */
    void add(@Nullable Duration latency, boolean hasFailed) {
        calls++;
        failed += hasFailed ? 1 : 0;
        if (latency != null) {
            latencies.add(latency);
        }
    }

    /** Counts a run that made some of the calls. */
    void run() {
        runs++;
    }

    public long calls() {
        return calls;
    }

    double errorRate() {
        return (double) failed / calls;
    }

    /** Of all calls whose latency is known, failed ones included. */
    Lengths latencies() {
        return latencies;
    }

    /** Those of one tool. */
    public NamedFigures fields() {
        return new NamedFigures()
                .put("calls", calls)
                .put("failed", failed)
                .put("error_rate", errorRate())
                .put("runs", runs)
                .percentiles("", latencies);
    }

    /** Returns the numbers of calls and failed calls, named after the kind; people see none of them if there are no calls. */
    NamedFigures counts(String kind) {
        return new NamedFigures()
                .put(kind + "_calls", calls, Numbers.unlessZero(calls))
                .put("failed_" + kind + "_calls", failed, calls == 0 ? Numbers.NONE : Numbers.text(failed));
    }
}
