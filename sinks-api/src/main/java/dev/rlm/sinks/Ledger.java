package dev.rlm.sinks;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Fate of the events that were meant for a sink. Always {@code offered = delivered + dropped + queued}.
 *
 * @param offered all of them
 * @param delivered those that have arrived where the sink brings them: in a synced file, say, or a back end
 * @param dropped those that never will, by reason
 * @param queued those on their way
 */
public record Ledger(long offered, long delivered, SortedMap<String, Long> dropped, long queued) {
    /** The reason of events that a sampler or a keep rule leaves out: dropped, but nothing that went wrong. */
    public static final String NOT_SAMPLED = "not_sampled";

    /** The reason of measurements where no metrics are sent: dropped by choice too, and no error. */
    public static final String METRICS_OFF = "metrics_off";

    private static final Set<String> BY_CHOICE = Set.of(NOT_SAMPLED, METRICS_OFF);

    /** Nothing was offered. */
    public static final Ledger EMPTY = new Ledger(0, 0, Collections.emptySortedMap(), 0);

    public Ledger {
        dropped = Collections.unmodifiableSortedMap(new TreeMap<>(dropped));
    }

    /** One in which all that was neither delivered nor dropped is queued. */
    public static Ledger of(long offered, long delivered, Map<String, Long> dropped) {
        return new Ledger(offered, delivered, new TreeMap<>(dropped), offered - delivered - sum(dropped));
    }

    /** All that were dropped and should not have been. */
    public long lost() {
        return sum(losses());
    }

    /** Those that were dropped and should not have been, by reason. */
    public SortedMap<String, Long> losses() {
        SortedMap<String, Long> losses = new TreeMap<>(dropped);
        losses.keySet().removeAll(BY_CHOICE);
        return losses;
    }

    /** All that were dropped, for whatever reason. */
    public long droppedTotal() {
        return sum(dropped);
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
