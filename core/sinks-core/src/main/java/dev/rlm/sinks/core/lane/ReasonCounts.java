package dev.rlm.sinks.core.lane;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts of events by reason. Any thread counts and reads. */
final class ReasonCounts {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    void add(String reason) {
        counts.computeIfAbsent(reason, r -> new LongAdder()).increment();
    }

    Map<String, Long> counts() {
        Map<String, Long> all = new HashMap<>();
        counts.forEach((reason, count) -> all.put(reason, count.sum()));
        return all;
    }
}
