package dev.rlm.sinks.core.lane;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Time by which a lane has to be closed, once that has begun. Set once, read by any thread. */
final class CloseDeadline {
    private static final Duration MAX_RESERVE = Duration.ofMillis(250);

    private boolean claimed;
    private volatile @Nullable Long by; // nanoTime

    /** Returns whether who asks is the first, and so the one to begin it. */
    synchronized boolean claim() {
        boolean first = !claimed;
        claimed = true;
        return first;
    }

    /** Returns the part of a close's time that its sink gets: it has to be over a little before who waits for it goes on. */
    static Duration share(Duration timeout) {
        Duration reserve = timeout.dividedBy(10);
        return timeout.minus(reserve.compareTo(MAX_RESERVE) < 0 ? reserve : MAX_RESERVE);
    }

    void begin(Duration timeout) {
        by = System.nanoTime() + timeout.toNanos();
    }

    boolean isBegun() {
        return by != null;
    }

    Duration left() {
        Long end = by;
        return end == null ? Duration.ZERO : until(end);
    }

    /** Returns the time until that nanoTime; never less than nothing. */
    static Duration until(long end) {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }
}
