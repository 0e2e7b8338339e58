package dev.rlm.sinks.redaction;

import java.time.Duration;

/** Until when a search may take. */
final class Deadline {
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
