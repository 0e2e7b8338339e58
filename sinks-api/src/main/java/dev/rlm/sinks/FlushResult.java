package dev.rlm.sinks;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Of each sink, whether all that it was given since the last flush, and that did not find its queue full, is known to have
 * arrived; the {@link Ledger} counts what was dropped. Of a sink that was chosen and could not be made, nothing is.
 */
public record FlushResult(SortedMap<String, Boolean> sinks) {
    /** There is nothing to flush. */
    static final FlushResult NO_SINKS = new FlushResult(Collections.emptySortedMap());

    public FlushResult {
        sinks = Collections.unmodifiableSortedMap(new TreeMap<>(sinks));
    }

    /** Returns whether that holds for all sinks. */
    public boolean isComplete() {
        return !sinks.containsValue(false);
    }
}
