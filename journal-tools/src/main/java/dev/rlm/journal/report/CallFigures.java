package dev.rlm.journal.report;

import dev.rlm.sinks.schema.statistics.Lengths;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls of a tool or of models. */
final class CallFigures {
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

    /** Another run has made some of them. */
    void run() {
        runs++;
    }

    long calls() {
        return calls;
    }

    long failed() {
        return failed;
    }

    /** How many runs made them. */
    long runs() {
        return runs;
    }

    /** The share of the failed among all calls; NaN where there are none. */
    double errorRate() {
        return (double) failed / calls;
    }

    /** One of these numbers for a person: where there are no calls at all there is nothing to count. */
    @Nullable
    Long shown(Function<CallFigures, Long> number) {
        return calls == 0 ? null : number.apply(this);
    }

    /** Of all calls whose latency is known, failed ones included. */
    Lengths latencies() {
        return latencies;
    }
}
