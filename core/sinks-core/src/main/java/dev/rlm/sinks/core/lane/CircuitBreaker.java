package dev.rlm.sinks.core.lane;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps events from a sink that has failed ten times in a row, and lets one through every minute to see whether it works
 * again. Of the lane's thread, save {@link #reason()}.
 */
final class CircuitBreaker {
    private static final int FAILURES = 10;
    private static final long PROBE_AFTER_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private int events; // failures in a row
    private int batches;
    private long probeAt;
    private volatile @Nullable String reason;

    CircuitBreaker(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns the reason of the quarantine; {@code null} while there is none. On any thread. */
    @Nullable
    String reason() {
        return reason;
    }

    boolean isOn() {
        return reason != null;
    }

    /** Returns whether a failure counts that nothing has made up for yet. */
    boolean isCounting() {
        return isOn() || events > 0 || batches > 0;
    }

    boolean isProbeDue() {
        return nanoTime.getAsLong() - probeAt >= 0;
    }

    void eventTaken() {
        events = 0;
    }

    void batchTaken() {
        batches = 0;
    }

    /** Notes that an event was not taken; whether the quarantine begins with it. */
    boolean eventFailed(String why) {
        return failed(++events, why);
    }

    /** Notes that a batch was not taken; whether the quarantine begins with it. */
    boolean batchFailed(String why) {
        return failed(++batches, why);
    }

    private boolean failed(int inARow, String why) {
        boolean begins = !isOn() && inARow >= FAILURES;
        if (begins || isOn()) {
            probeAt = nanoTime.getAsLong() + PROBE_AFTER_NANOS;
            reason = FAILURES + " failures in a row, the last: " + why;
        }
        return begins;
    }

    /** The sink works again. */
    void end() {
        events = 0;
        batches = 0;
        reason = null;
    }

    /** Counts a failure, with what it was; whether the quarantine begins with it. */
    @FunctionalInterface
    interface Count {
        boolean failed(String why);
    }
}
