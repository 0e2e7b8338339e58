package dev.rlm.sinks.delivery;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Room for what waits to be sent or is in flight. A thread that needs some while there is none waits: for as long as what
 * takes the others arrives, and for so long in all while nothing does. Safe for use by several threads.
 */
public final class Permits {
    private final long room;
    private final long longestStall; // in nanoseconds
    private final boolean waitsAtClose;

    // Guarded by this
    private long taken;
    private long arrivals;
    private long stalledNanos; // since something last arrived
    private boolean closing;
    private boolean closed;

    /** Makes the room that the limits tell. */
    public Permits(BatchLimits limits) {
        this.room = limits.room();
        this.longestStall = limits.stallNanos();
        this.waitsAtClose = limits.waitsAtClose();
    }

    /**
     * Takes so much, which may be more than is left of the room; waits where nothing is.
     *
     * @return why there is none; {@code null} where there is
     */
    public synchronized @Nullable Failure acquire(long amount) {
        boolean interrupted = false;
        while (isFull() && mayWait() && stalledNanos < longestStall && !interrupted) {
            interrupted = !stall();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (closed || isFull()) {
            return mayWait() ? Failure.bufferFull() : Failure.closed();
        }
        taken += amount;
        return null;
    }

    private boolean isFull() {
        return taken >= room;
    }

    private boolean mayWait() {
        return !closed && (!closing || waitsAtClose);
    }

    /** Returns {@code false} if interrupted. */
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

    /** Gives so much back. */
    public synchronized void release(long amount, boolean arrived) {
        taken -= amount;
        if (arrived) {
            arrivals++;
            stalledNanos = 0;
        }
        notifyAll();
    }

    /** Lets a thread wait from now on only where the limits say so: more waits already than can be sent by the end. */
    public synchronized void beginClose() {
        closing = true;
        notifyAll();
    }

    /** Gives no more room. */
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
