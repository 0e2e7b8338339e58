package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Event;
import java.util.concurrent.CountDownLatch;

/** A sink that hangs in its first event until the test opens it. */
class GatedSink extends Recorder {
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final boolean durable;

    GatedSink(boolean durable) {
        this.durable = durable;
    }

    @Override
    public boolean isDurable() {
        return durable;
    }

    @Override
    public void onEvent(Event event) {
        entered.countDown();
        Threads.await(gate);
        super.onEvent(event);
    }

    void awaitEntered() {
        Threads.await(entered);
    }

    void open() {
        gate.countDown();
    }
}
