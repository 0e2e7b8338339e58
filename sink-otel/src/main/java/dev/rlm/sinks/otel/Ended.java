package dev.rlm.sinks.otel;

import io.opentelemetry.api.trace.SpanContext;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What ended last, runs or the steps of a run, and how far back that memory goes. Safe for use by several threads.
 *
 * @param <K> what tells one from another
 * @param <S> its place in the order in which they start
 */
final class Ended<K, S extends Comparable<S>> {
    private final int remembered;
    private final Map<K, Map.Entry<S, SpanContext>> last = new LinkedHashMap<>();
    private @Nullable S forgotten;

    /** A memory of so many. */
    Ended(int remembered) {
        this.remembered = remembered;
    }

    synchronized void add(K key, S start, SpanContext span) {
        last.put(key, Map.entry(start, span));
        if (last.size() > remembered) {
            Iterator<Map.Entry<S, SpanContext>> eldest = last.values().iterator();
            S first = eldest.next().getKey();
            eldest.remove();
            forgotten = forgotten == null || first.compareTo(forgotten) > 0 ? first : forgotten;
        }
    }

    /** Its span, as far back as is remembered. */
    synchronized @Nullable SpanContext find(K key) {
        Map.Entry<S, SpanContext> known = last.get(key);
        return known == null ? null : known.getValue();
    }

    /**
     * Whether one that is not open has ended: one that is no longer remembered is known by its start, which is no later
     * than that of some other that has been forgotten.
     */
    synchronized boolean contains(K key, S start) {
        return last.containsKey(key) || (forgotten != null && start.compareTo(forgotten) <= 0);
    }
}
