package dev.rlm.sinks.core.lane;

import java.util.concurrent.TimeUnit;

/** Bound of the times that a lane's thread ends with an error and is followed by another: three, forgiven after ten minutes. */
final class Restarts {
    private static final int ALLOWED = 3;
    private static final long FORGIVEN_AFTER_NANOS = TimeUnit.MINUTES.toNanos(10);

    private int errors;
    private long last;

    /** Counts an error; whether the lane may go on. */
    boolean allowAnother(long now) {
        if (errors > 0 && now - last >= FORGIVEN_AFTER_NANOS) {
            errors = 0;
        }
        last = now;
        return ++errors <= ALLOWED;
    }

    int errors() {
        return errors;
    }
}
