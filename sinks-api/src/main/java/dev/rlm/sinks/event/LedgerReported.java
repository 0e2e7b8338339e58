package dev.rlm.sinks.event;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * State of every sink with the events that were meant for it: reported at a flush and at the close, to the sinks that
 * keep the record alone. So a record shows its own completeness.
 *
 * @param sinks by name. The account of a sink that keeps the record counts earlier reports too, and not this one
 */
public record LedgerReported(
        Instant time, @Recorded(required = true) SortedMap<String, SinkLedger> sinks) implements Event {
    public LedgerReported {
        sinks = Collections.unmodifiableSortedMap(new TreeMap<>(sinks));
    }

    @Override
    public EventType type() {
        return EventType.LEDGER_REPORTED;
    }

    public LedgerReported(Instant time, Map<String, SinkLedger> sinks) {
        this(time, new TreeMap<>(sinks));
    }

    /**
     * Counts of the events that were meant for a sink. Always {@code offered = delivered + dropped + queued}.
     *
     * @param dropped by reason
     */
    public record SinkLedger(
            @Recorded(min = 0) long offered,
            @Recorded(min = 0) long delivered,
            @Recorded(min = 0) SortedMap<String, Long> dropped,
            @Recorded(min = 0) long queued) {
        public SinkLedger {
            dropped = Collections.unmodifiableSortedMap(dropped == null ? new TreeMap<>() : new TreeMap<>(dropped));
        }

        /** All that were dropped, for whatever reason. */
        public long droppedTotal() {
            return dropped.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
