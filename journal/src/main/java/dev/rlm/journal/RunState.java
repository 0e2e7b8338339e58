package dev.rlm.journal;

import dev.rlm.sinks.event.Outcome;
import java.util.Locale;

/** State of a run of a journal. */
public enum RunState {
    /** It has no end yet, and its writer lives. */
    RUNNING,
    /** It has no end, and its writer is gone. */
    UNFINISHED,
    /** See {@link Outcome#COMPLETED}. */
    COMPLETED,
    /** See {@link Outcome#FAILED}. */
    FAILED,
    /** See {@link Outcome#ABORTED}. */
    ABORTED,
    /** See {@link Outcome#ABANDONED}. */
    ABANDONED;

    static RunState of(Outcome outcome) {
        return valueOf(outcome.name());
    }

    /** The name in the form that people see: {@code completed}. To them a run is abandoned once its writer is gone. */
    public String label() {
        return (this == UNFINISHED ? ABANDONED : this).name().toLowerCase(Locale.ROOT);
    }
}
