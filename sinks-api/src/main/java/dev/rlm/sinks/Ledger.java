package dev.rlm.sinks;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What became of the events that were meant for a sink. Always {@code offered = delivered + dropped + queued}.
 *
 * @param offered all of them
 * @param delivered those that have arrived where the sink brings them: in a synced file, say, or a back end
 * @param dropped those that never will, by reason
 * @param queued those on their way
 */
public record Ledger(long offered, long delivered, SortedMap<String, Long> dropped, long queued) {
    /** The reason of events that a sampler leaves out: dropped, but nothing that went wrong. */
    public static final String NOT_SAMPLED = "not_sampled";

    /** Nothing was offered. */
    public static final Ledger EMPTY = new Ledger(0, 0, Collections.emptySortedMap(), 0);

    public Ledger {
        dropped = Collections.unmodifiableSortedMap(new TreeMap<>(dropped));
    }

    static Ledger of(long offered, long delivered, Map<String, Long> dropped) {
        long lost = dropped.values().stream().mapToLong(Long::longValue).sum();
        return new Ledger(offered, delivered, new TreeMap<>(dropped), offered - delivered - lost);
    }

    /** All that were dropped and should not have been. */
    public long lost() {
        return droppedTotal() - dropped.getOrDefault(NOT_SAMPLED, 0L);
    }

    /** All that were dropped, for whatever reason. */
    public long droppedTotal() {
        return dropped.values().stream().mapToLong(Long::longValue).sum();
    }
}
