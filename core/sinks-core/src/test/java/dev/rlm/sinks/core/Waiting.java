package dev.rlm.sinks.core;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waiting for conditions on machines that may be busy: a condition that comes true is seen at once, however long the bound. */
public final class Waiting {
    /** Bound of a wait; more than a machine needs that has ten times its work. */
    public static final Duration PATIENCE = Duration.ofMinutes(2);

    private Waiting() {}

    /** Begins a wait that fails after {@link #PATIENCE}. */
    public static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE);
    }
}
