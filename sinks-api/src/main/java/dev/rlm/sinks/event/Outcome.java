package dev.rlm.sinks.event;

import java.util.Locale;

/** Kind of a run's end. */
public enum Outcome {
    /** It was completed, also at the last step allowed. */
    COMPLETED,
    /** An error or a time-out ended it. */
    FAILED,
    /** It was stopped, or its block was left early. */
    ABORTED,
    /** Its process died; the end was written later. */
    ABANDONED;

    /** Returns whether the run came to an end of its own, good or bad, and was not cut off from outside. */
    public boolean isOwnEnd() {
        return this == COMPLETED || this == FAILED;
    }

    /** The name in the form that records and back ends show: {@code completed}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
