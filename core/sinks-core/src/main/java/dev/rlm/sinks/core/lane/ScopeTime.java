package dev.rlm.sinks.core.lane;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Time for which a sink's scopes have kept runners waiting, and the judgement that it is too long: most calls take more than
 * a millisecond, and these a second in all, at several moments. A busy machine holds up a few calls of many. A cold start
 * holds up the first ones, many at the same time because they wait for the same classes: such count as one moment. Counted
 * by any thread.
 */
final class ScopeTime {
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MIN_MOMENTS = 4;

    private final LongAdder calls = new LongAdder();
    private long slowCalls; // guarded by this, as are the next
    private int moments;
    private long momentEnd = System.nanoTime(); // of the slow call that began the last moment
    private long taken;
    private long until = System.nanoTime(); // what is before that is counted

    /** Counts a call that began at that {@link System#nanoTime}; returns whether the sink is too slow. */
    boolean add(long start, long nanos) {
        calls.increment();
        return nanos > SLOW_NANOS && addSlow(start, nanos);
    }

    private synchronized boolean addSlow(long start, long nanos) {
        slowCalls++;
        if (start - momentEnd >= 0) {
            moments++;
            momentEnd = start + nanos;
        }
        long counted = Math.min(nanos, start + nanos - until);
        if (counted > 0) {
            taken += counted;
            until = start + nanos;
        }
        return taken > MAX_NANOS && moments >= MIN_MOMENTS && slowCalls > calls.sum() / 2;
    }

    @Override
    public synchronized String toString() {
        return taken / 1_000_000 + " ms in " + calls.sum() + " calls";
    }
}
