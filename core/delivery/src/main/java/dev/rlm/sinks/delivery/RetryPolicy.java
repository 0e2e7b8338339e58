package dev.rlm.sinks.delivery;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Rule of when a request that failed is made again: at first after a quarter of a second, then after twice as long each
 * time, up to five seconds, with some jitter, or when the server wants it.
 *
 * @param giveUpAfter how long a batch may take, with all attempts and parts
 * @param retries whether a request is made a second time at all
 */
public record RetryPolicy(Duration giveUpAfter, boolean retries) {
    private static final Duration FIRST = Duration.ofMillis(250);
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final int DOUBLINGS = 5; // more than from the first pause to the longest

    /** Returns the policy that gives a batch up after so long. */
    public static RetryPolicy upTo(Duration giveUpAfter) {
        return new RetryPolicy(giveUpAfter, true);
    }

    /** Returns how long to wait after the failure of that attempt, which is the first where it is 0. */
    public Duration pause(int attempt, Failure failure) {
        Duration backoff = FIRST.multipliedBy(1L << Math.min(attempt, DOUBLINGS));
        Duration bounded = backoff.compareTo(LONGEST) < 0 ? backoff : LONGEST;
        Duration jittered = Duration.ofNanos(
                (long) (bounded.toNanos() * ThreadLocalRandom.current().nextDouble(0.8, 1.2)));
        return failure.retryAfter().compareTo(jittered) > 0 ? failure.retryAfter() : jittered;
    }
}
