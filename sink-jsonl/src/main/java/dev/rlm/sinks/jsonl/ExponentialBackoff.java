package dev.rlm.sinks.jsonl;

import java.time.Duration;

/** Exponential backoff: the wait after a failure is 100 ms, and doubles with each further one up to 5 s. */
final class ExponentialBackoff {
    private static final long FIRST_NANOS = Duration.ofMillis(100).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(5).toNanos();

    private long wait; // 0 where the last attempt succeeded
    private long since;

    void failed(long nanoTime) {
        wait = wait == 0 ? FIRST_NANOS : Math.min(wait * 2, LONGEST_NANOS);
        since = nanoTime;
    }

    void succeeded() {
        wait = 0;
    }

    /** Returns whether the last attempt failed. */
    boolean isFailing() {
        return wait > 0;
    }

    /** Returns whether it is too early for another attempt. */
    boolean isWaiting(long nanoTime) {
        return wait > 0 && nanoTime - since < wait;
    }
}
