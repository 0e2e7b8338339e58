package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.otel.otlp.Failure;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The places of what waits to be sent. Who needs some while there are none waits: for as long as what has the others
 * arrives, and for so long in all while nothing does. Safe for use by several threads.
 */
final class Room {
    private static final String FULL = "buffer_full";

    private final int places;
    private final long longestStall; // in nanoseconds

    // Guarded by this
    private int taken;
    private long arrivals;
    private long stalledNanos; // since something last arrived
    private boolean closing;

    /** @param longestStall how long to wait in all while nothing arrives */
    Room(int places, Duration longestStall) {
        this.places = places;
        this.longestStall = longestStall.toNanos();
    }

    /** Takes so many, the last of which may be more than there are: why there is none, {@code null} where there is. */
    synchronized @Nullable String take(int count) {
        boolean interrupted = false;
        while (isFull() && !closing && stalledNanos < longestStall && !interrupted) {
            interrupted = !stall();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (isFull()) {
            return closing ? Failure.closed().reason() : FULL;
        }
        taken += count;
        return null;
    }

    private boolean isFull() {
        return taken >= places;
    }

    /** {@code false} if interrupted. */
    @SuppressWarnings("WaitNotInLoop") // the caller loops
    private boolean stall() {
        long before = arrivals;
        long start = System.nanoTime();
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, longestStall - stalledNanos));
            return true;
        } catch (InterruptedException e) {
            return false;
        } finally {
            stalledNanos = arrivals == before ? stalledNanos + System.nanoTime() - start : 0;
        }
    }

    /** Gives so many back. */
    synchronized void free(int count, boolean arrived) {
        taken -= count;
        if (arrived) {
            arrivals++;
            stalledNanos = 0;
        }
        notifyAll();
    }

    /** From now on nobody waits: what waits already is more than can be sent by the end. */
    synchronized void beginClose() {
        closing = true;
        notifyAll();
    }
}
