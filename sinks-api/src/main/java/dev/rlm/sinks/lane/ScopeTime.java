package dev.rlm.sinks.lane;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * How long a sink's scopes have kept runners waiting. Too long is more than a second in all, where a call takes more than a
 * millisecond on average. Calls at the same time count once, as a cold start has them wait for the same classes; and one
 * pause of the whole process is not enough. Counted by any thread.
 */
final class ScopeTime {
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_AVERAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongAdder calls = new LongAdder();
    private long taken; // guarded by this, as is the next
    private long until = System.nanoTime(); // what is before that is counted

    /** Counts a call that began at that {@link System#nanoTime}; whether it has become too long. */
    boolean add(long start, long nanos) {
        calls.increment();
        return nanos > MAX_AVERAGE_NANOS && addLong(start, nanos);
    }

    private synchronized boolean addLong(long start, long nanos) {
        long counted = Math.min(nanos, start + nanos - until);
        if (counted > 0) {
            taken += counted;
            until = start + nanos;
        }
        return taken > MAX_NANOS && taken / calls.sum() > MAX_AVERAGE_NANOS;
    }

    @Override
    public synchronized String toString() {
        return taken / 1_000_000 + " ms in " + calls.sum() + " calls";
    }
}
