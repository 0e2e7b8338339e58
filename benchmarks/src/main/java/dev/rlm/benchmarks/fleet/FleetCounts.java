package dev.rlm.benchmarks.fleet;

import dev.rlm.benchmarks.fleet.EventTemplate.TemplateRun;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts of the requests of all simulated runners, by outcome. */
final class FleetCounts {
    /** Runs of which every event is acknowledged, by their ids. */
    final Map<String, TemplateRun> acknowledged = new ConcurrentHashMap<>();

    final LongAdder bytes = new LongAdder();
    final LongAdder requests = new LongAdder();
    final LongAdder steps = new LongAdder(); // acknowledged
    final LongAdder refusals = new LongAdder(); // each of which is followed by a retry
    final LongAdder unanswered = new LongAdder(); // and retried
    final LongAdder givenUp = new LongAdder();
    final LongAdder connections = new LongAdder();
    private final ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>(); // of what is acknowledged
    private final ConcurrentLinkedQueue<Long> delays = new ConcurrentLinkedQueue<>(); // from when it was due

    /** Counts the time of an answer, and that from the moment when the request was due. */
    void answered(long latency, long delay) {
        latencies.add(latency);
        delays.add(delay);
    }

    /** Forgets the times that were counted so far. */
    void clearTimes() {
        latencies.clear();
        delays.clear();
    }

    double latencyMillis(double quantile) {
        return millis(latencies, quantile);
    }

    double delayMillis(double quantile) {
        return millis(delays, quantile);
    }

    private static double millis(ConcurrentLinkedQueue<Long> times, double quantile) {
        long[] sorted = times.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(sorted);
        return sorted.length == 0
                ? Double.NaN
                : sorted[(int) (quantile * sorted.length)] / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
