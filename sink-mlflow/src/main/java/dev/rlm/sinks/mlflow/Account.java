package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Acknowledged;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what came of events that no span accounts for. Safe for use by several threads. */
final class Account {
    private final LongAdder delivered = new LongAdder();
    private final Map<String, LongAdder> dropped = new ConcurrentHashMap<>();

    void delivered(long events) {
        delivered.add(events);
    }

    void dropped(String reason, long events) {
        if (events > 0) {
            dropped.computeIfAbsent(reason, r -> new LongAdder()).add(events);
        }
    }

    /** Together with what came of the others. */
    Acknowledged with(Acknowledged others) {
        Map<String, Long> counts = new HashMap<>(others.dropped());
        dropped.forEach((reason, count) -> counts.merge(reason, count.sum(), Long::sum));
        return new Acknowledged(delivered.sum() + others.delivered(), counts);
    }
}
