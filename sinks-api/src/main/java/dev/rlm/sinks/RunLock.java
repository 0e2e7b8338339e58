package dev.rlm.sinks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of one run, held for the length of a try block and by one thread as often as it likes. Not a monitor: a virtual
 * thread that waits for it, or while it holds it, would keep its carrier from all others before Java 24.
 */
final class RunLock implements AutoCloseable {
    private final ReentrantLock lock = new ReentrantLock();

    /** Takes it, however long that takes; an interrupt stays as it is. */
    RunLock hold() {
        lock.lock();
        return this;
    }

    /** Takes it if that can be done within the time, which may be 0; whether it was taken. */
    boolean tryHold(long nanos) {
        long by = System.nanoTime() + nanos;
        boolean interrupted = false;
        while (!lock.tryLock()) {
            long left = by - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                if (lock.tryLock(left, TimeUnit.NANOSECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return lock.isHeldByCurrentThread();
    }

    /** Gives it back. */
    @Override
    public void close() {
        lock.unlock();
    }
}
