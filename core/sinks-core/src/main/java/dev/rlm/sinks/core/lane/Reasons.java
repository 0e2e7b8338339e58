package dev.rlm.sinks.core.lane;

/** Reasons for which events are dropped, as the ledger names them. */
final class Reasons {
    /** There was no room. */
    static final String QUEUE_FULL = "queue_full";

    /** The run's start, or the room of its end, was refused. */
    static final String RUN_REFUSED = "run_refused";

    /** The hub, or this lane, was closed before. */
    static final String CLOSED = "closed";

    /** The thread that offered was interrupted while it waited for room. */
    static final String INTERRUPTED = "interrupted";

    /** A callback threw. */
    static final String SINK_ERROR = "sink_error";

    /** The sink failed again and again, and was left alone. */
    static final String QUARANTINED = "quarantined";

    /** The sink hangs and was given up. */
    static final String HUNG = "hung";

    /** The sink's errors ended its thread too often. */
    static final String SINK_DEAD = "sink_dead";

    private Reasons() {}
}
