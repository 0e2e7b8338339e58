package dev.rlm.sinks.otel.spans;

import io.opentelemetry.api.trace.SpanContext;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bounded memory of the runs, steps or work that ended last. Safe for use by several threads.
 *
 * @param <K> the id
 * @param <S> the place in the order of starts
 */
public final class Ended<K, S extends Comparable<S>> {
    private final int remembered;
    private final Map<K, Map.Entry<S, SpanContext>> last = new LinkedHashMap<>();
    private @Nullable S forgotten;

    /** @param remembered the maximum number of entries; the one that was added first is forgotten first */
    public Ended(int remembered) {
        this.remembered = remembered;
    }

    public synchronized void add(K key, S start, SpanContext span) {
        last.put(key, Map.entry(start, span));
        if (last.size() > remembered) {
            Iterator<Map.Entry<S, SpanContext>> eldest = last.values().iterator();
            S first = eldest.next().getKey();
            eldest.remove();
            forgotten = forgotten == null || first.compareTo(forgotten) > 0 ? first : forgotten;
        }
    }

    /** Returns the span's context; {@code null} if it is not, or no longer, remembered. */
    public synchronized @Nullable SpanContext find(K key) {
        Map.Entry<S, SpanContext> known = last.get(key);
        return known == null ? null : known.getValue();
    }

    /**
     * Returns whether the item, which is not open, has ended. A forgotten one is recognised by its start, which is not
     * later than the latest start among the forgotten ones, so that neither a late event nor a scope opens it again. An
     * item as old whose start was lost is taken for one of them, and its events count as late.
     */
    public synchronized boolean contains(K key, S start) {
        return last.containsKey(key) || (forgotten != null && start.compareTo(forgotten) <= 0);
    }
}
