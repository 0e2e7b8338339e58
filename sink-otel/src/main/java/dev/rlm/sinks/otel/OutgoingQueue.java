package dev.rlm.sinks.otel;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;

/** What is to be sent, in its order, and what it weighs. Not safe for use by several threads: {@link BatchExport} guards it. */
final class OutgoingQueue<T extends Outgoing> {
    private final Deque<T> items = new ArrayDeque<>();
    private long bytes;

    void add(T item) {
        items.add(item);
        bytes += item.bytes();
    }

    /** Takes over all that the other has. */
    void takeAll(OutgoingQueue<T> other) {
        items.addAll(other.items);
        bytes += other.bytes;
        other.clear();
    }

    /** Moves as many to the request as it has room for, and returns how many bytes it has then. */
    long moveTo(Collection<T> request, long requestBytes, BatchExport.Settings limits) {
        long filled = requestBytes;
        while (!items.isEmpty()
                && request.size() < limits.maxBatch()
                && (request.isEmpty() || filled + items.element().bytes() <= limits.maxBytes())) {
            T item = items.remove();
            request.add(item);
            bytes -= item.bytes();
            filled += item.bytes();
        }
        return filled;
    }

    /** Whether that many requests could be filled. */
    boolean fills(int requests, BatchExport.Settings limits) {
        return items.size() >= limits.maxBatch() * requests || bytes >= limits.maxBytes() * requests;
    }

    void clear() {
        items.clear();
        bytes = 0;
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    int size() {
        return items.size();
    }

    /** About how many bytes they take in requests. */
    long bytes() {
        return bytes;
    }

    Collection<T> all() {
        return Collections.unmodifiableCollection(items);
    }
}
