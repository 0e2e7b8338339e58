package dev.rlm.sinks.testkit.fault;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Gate at which hanging code waits, heeding no interrupt, until a test lets it go on. Thread-safe. */
public final class Gate {
    private final CountDownLatch opened = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();

    /** Waits until the gate is open. An interrupt that comes meanwhile is still there afterwards. */
    public void pass() {
        waiting.incrementAndGet();
        boolean interrupted = false;
        while (!isOpen()) {
            try {
                opened.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        waiting.decrementAndGet();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets all threads go on that wait, now or later. */
    public void open() {
        opened.countDown();
    }

    public boolean isOpen() {
        return opened.getCount() == 0;
    }

    /** Returns the number of threads that wait. */
    public int waiting() {
        return waiting.get();
    }
}
