package dev.rlm.sinks.otel;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;

/** Ended spans in their order, and what they weigh. Not safe for use by several threads: {@link SpanExport} guards it. */
final class SpanQueue {
    private final Deque<EndedSpan> spans = new ArrayDeque<>();
    private long bytes;

    void add(EndedSpan span) {
        spans.add(span);
        bytes += span.bytes();
    }

    /** Takes over all that the other has. */
    void takeAll(SpanQueue other) {
        spans.addAll(other.spans);
        bytes += other.bytes;
        other.clear();
    }

    /** Moves as many to the request as it has room for, and returns how many bytes it has then. */
    long moveTo(Collection<EndedSpan> request, long requestBytes, SpanExport.Settings limits) {
        long filled = requestBytes;
        while (!spans.isEmpty()
                && request.size() < limits.maxBatch()
                && (request.isEmpty() || filled + spans.element().bytes() <= limits.maxBytes())) {
            EndedSpan span = spans.remove();
            request.add(span);
            bytes -= span.bytes();
            filled += span.bytes();
        }
        return filled;
    }

    /** Whether that many requests could be filled. */
    boolean fills(int requests, SpanExport.Settings limits) {
        return spans.size() >= limits.maxBatch() * requests || bytes >= limits.maxBytes() * requests;
    }

    void clear() {
        spans.clear();
        bytes = 0;
    }

    boolean isEmpty() {
        return spans.isEmpty();
    }

    int size() {
        return spans.size();
    }

    /** About how many bytes they take in requests. */
    long bytes() {
        return bytes;
    }

    Collection<EndedSpan> all() {
        return Collections.unmodifiableCollection(spans);
    }
}
