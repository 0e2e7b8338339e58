package dev.rlm.sinks.delivery;

import dev.rlm.sinks.Sink.Acknowledged;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts of what came of a sink's events, for {@link dev.rlm.sinks.Sink#acknowledged}. Safe for use by several threads. */
public final class DeliveryCounts {
    private final LongAdder delivered = new LongAdder();
    private final Map<String, LongAdder> dropped = new ConcurrentHashMap<>();

    /** Counts events that have arrived. */
    public void delivered(long events) {
        delivered.add(events);
    }

    /** Counts events that never will arrive. */
    public void dropped(String reason, long events) {
        if (events > 0) {
            dropped.computeIfAbsent(reason, r -> new LongAdder()).add(events);
        }
    }

    /**
     * Counts events of which so many have arrived, and the others never will for that failure.
     *
     * @return whether all have arrived
     */
    public boolean settled(long events, long arrived, @Nullable Failure failure) {
        delivered(arrived);
        if (failure != null) {
            dropped(failure.reason(), events - arrived);
        }
        return arrived == events;
    }

    /** Returns what has come of events so far. */
    public Acknowledged current() {
        return with(new Acknowledged(0, Map.of()));
    }

    /** Returns the same together with what came of others. */
    public Acknowledged with(Acknowledged others) {
        Map<String, Long> counts = new HashMap<>(others.dropped());
        dropped.forEach((reason, count) -> counts.merge(reason, count.sum(), Long::sum));
        return new Acknowledged(delivered.sum() + others.delivered(), counts);
    }
}
