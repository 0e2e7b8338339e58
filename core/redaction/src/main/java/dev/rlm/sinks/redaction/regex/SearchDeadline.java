package dev.rlm.sinks.redaction.regex;

import java.time.Duration;

/** Until when a search may take. For one thread. */
public final class SearchDeadline {
    private static final int TICKS = (1 << 6) - 1; // between two looks at the clock

    private final long nanoTime;
    private int ticks;

    private SearchDeadline(long nanoTime) {
        this.nanoTime = nanoTime;
    }

    public static SearchDeadline in(Duration time) {
        return new SearchDeadline(System.nanoTime() + time.toNanos());
    }

    /** Throws when it is past. */
    public void check() {
        if (System.nanoTime() - nanoTime > 0) {
            throw new OverdueException();
        }
    }

    /** The same for what takes so little time that the clock need not be asked each time. */
    public void tick() {
        if ((++ticks & TICKS) == 0) {
            check();
        }
    }

    /** Nanoseconds that are left; none where it is past. */
    long left() {
        return Math.max(0, nanoTime - System.nanoTime());
    }
}
