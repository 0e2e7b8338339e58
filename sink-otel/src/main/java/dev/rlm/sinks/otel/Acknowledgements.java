package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink.Acknowledged;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what came of the sink's events. Safe for use by several threads. */
final class Acknowledgements {
    private final LongAdder delivered = new LongAdder();
    private final Map<String, LongAdder> dropped = new ConcurrentHashMap<>();

    void delivered(long events) {
        delivered.add(events);
    }

    void dropped(String reason, long events) {
        dropped.computeIfAbsent(reason, r -> new LongAdder()).add(events);
    }

    Acknowledged current() {
        Map<String, Long> counts = new HashMap<>();
        dropped.forEach((reason, count) -> counts.put(reason, count.sum()));
        return new Acknowledged(delivered.sum(), counts);
    }
}
