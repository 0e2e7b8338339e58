package dev.rlm.sinks.core;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.event.RewardComponent;
import java.util.AbstractList;
import java.util.concurrent.CountDownLatch;

/** A user's list that hangs while it is copied, which is under its run's lock, until the test opens it. */
final class StuckComponents extends AbstractList<RewardComponent> {
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CountDownLatch entered = new CountDownLatch(1);

    /** Has a thread of its own give the run a reward with it, and waits until that hangs. */
    Thread holdTheLockOf(Run run) {
        Thread holder = new Thread(() -> run.reward("stuck", 0, this));
        holder.setDaemon(true);
        holder.start();
        Threads.await(entered);
        return holder;
    }

    void open() {
        gate.countDown();
    }

    @Override
    public Object[] toArray() {
        entered.countDown();
        Threads.await(gate);
        return new Object[0];
    }

    @Override
    public RewardComponent get(int index) {
        throw new IndexOutOfBoundsException(index);
    }

    @Override
    public int size() {
        return 0;
    }
}
