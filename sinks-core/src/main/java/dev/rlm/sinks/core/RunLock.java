package dev.rlm.sinks.core;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of one run, held for the length of a try block and by one thread as often as it likes. Not a monitor: a virtual
 * thread that waits for it, or while it holds it, would keep its carrier from all others before Java 24.
 */
final class RunLock extends ReentrantLock implements AutoCloseable {
    private static final long serialVersionUID = 1L;

    /** Takes it, however long that takes; an interrupt stays as it is. */
    RunLock hold() {
        lock();
        return this;
    }

    /** Takes it if that can be done within the time, which may be 0; whether it was taken. */
    boolean tryHold(long nanos) {
        long by = System.nanoTime() + nanos;
        boolean interrupted = false;
        while (!tryLock()) {
            long left = by - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                if (tryLock(left, TimeUnit.NANOSECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return isHeldByCurrentThread();
    }

    @Override
    public void close() {
        unlock();
    }
}
