package dev.rlm.sinks.otel;

import io.opentelemetry.api.trace.Span;
import java.time.Instant;

/** A span that has started and not ended, and the number of events that it stands for. Used on the lane only. */
abstract class OpenSpan {
    private int events;
    private boolean described;

    /** The span itself; the first call may start it. */
    abstract Span span();

    /** When it started. */
    abstract Instant startedAt();

    /** Counts one more event that the span stands for. */
    void count() {
        events++;
    }

    int events() {
        return events;
    }

    /** Whether this is the first call: it is time to describe what the span stands for. */
    boolean isNew() {
        boolean first = !described;
        described = true;
        return first;
    }
}
