package dev.rlm.sinks.lane;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long a sink's scopes have kept runners waiting. Too long is a call of more than 100 ms, and also many that have taken
 * as much together and more than a millisecond on average. The first call, which has classes to load, may take a second, and
 * does not count. Counted by any thread.
 */
final class ScopeTime {
    private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_AVERAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong total = new AtomicLong();

    /** Counts a call; whether it has become too long. */
    boolean add(long nanos) {
        long count = calls.getAndIncrement();
        if (count == 0) {
            return nanos > MAX_FIRST_NANOS;
        }
        long sum = total.addAndGet(nanos);
        return nanos > MAX_NANOS || (sum > MAX_NANOS && sum / count > MAX_AVERAGE_NANOS);
    }

    @Override
    public String toString() {
        return total.get() / 1_000_000 + " ms in " + calls.get() + " calls";
    }
}
