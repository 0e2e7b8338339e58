package dev.rlm.sinks.core.lane;

import java.util.concurrent.TimeUnit;

/** How often a lane's thread may end with an error and be followed by another: three times, forgiven after ten minutes. */
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
