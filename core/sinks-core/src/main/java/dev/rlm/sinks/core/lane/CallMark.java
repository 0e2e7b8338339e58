package dev.rlm.sinks.core.lane;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells whether a lane's thread is inside a call of its sink, and which of two wins: the thread, which leaves the call, or
 * who gives it up. A thread that lost must touch nothing of its lane any more; who won may touch all that it has left.
 *
 * <p>One thread enters and leaves; any thread looks and gives up.
 */
final class CallMark {
    /** No call. */
    static final long NONE = 0;

    private static final long GIVEN_UP = -1;
    private static final int SPINS = 100;
    private static final long PAUSE_NANOS = 50_000;
    private static final VarHandle CALL;

    static {
        try {
            CALL = MethodHandles.lookup().findVarHandle(CallMark.class, "call", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long call; // odd while inside the call of that number
    private long number; // of the thread that calls alone
    private String what = "";
    private long allowance; // published by call, as is what

    /**
     * Begins a call.
     *
     * @param nanos how long it was told that it may take, beyond what every call may
     */
    void enter(String method, long nanos) {
        what = method;
        allowance = nanos;
        number += 2;
        CALL.setVolatile(this, number - 1); // before a look at the threads that are asking the sink
    }

    /** Waits until no other thread asks the sink, or the call is given up. */
    void awaitNone(AtomicInteger asking) {
        for (int spins = 0; asking.get() > 0 && isInCall(); spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Ends the call; whether it has not been given up. */
    boolean leave() {
        return CALL.compareAndSet(this, number - 1, number);
    }

    /** The number of the call that goes on, or {@link #NONE}. */
    long current() {
        long now = call;
        return now != GIVEN_UP && (now & 1) == 1 ? now : NONE;
    }

    boolean isInCall() {
        return current() != NONE;
    }

    /** Gives up that call, if it still goes on; whether it did. */
    boolean giveUp(long which) {
        return CALL.compareAndSet(this, which, GIVEN_UP);
    }

    /** The method that was called last. */
    String what() {
        return what;
    }

    /** Returns the time, in nanoseconds, that the last call may take beyond the limit of every call. */
    long allowance() {
        return allowance;
    }
}
