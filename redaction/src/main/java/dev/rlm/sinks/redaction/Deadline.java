package dev.rlm.sinks.redaction;

import java.time.Duration;

/** Until when a search may take. */
final class Deadline {
    /** For what takes no time worth a look at the clock. */
    static final Deadline NONE = in(Duration.ofDays(36_500));

    private final long nanoTime;

    private Deadline(long nanoTime) {
        this.nanoTime = nanoTime;
    }

    static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    /** Throws when it is past. */
    void check() {
        if (System.nanoTime() - nanoTime > 0) {
            throw new OverdueException();
        }
    }

    /** Nanoseconds that are left; none where it is past. */
    long left() {
        return Math.max(0, nanoTime - System.nanoTime());
    }
}
