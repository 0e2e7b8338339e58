package dev.rlm.sinks.event;

import java.time.Instant;

/**
 * Something that happened and that every sink hears of. Events are immutable; the same object goes to every sink.
 *
 * <p>An event that ends something carries what it ends, so that a sink needs no memory of its own to describe a whole
 * step or run.
 */
public sealed interface Event permits RunEvent, MetricsReported, StandaloneSpanRecorded, LedgerReported {
    /** Returns the type of the event. */
    EventType type();

    /** Returns the time at which it happened; for something that took time, its end. */
    Instant time();
}
