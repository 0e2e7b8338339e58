package dev.rlm.sinks.core;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A sink that keeps what it receives, and knows whether it was closed. */
class Recorder implements Sink {
    private final List<Event> events = new ArrayList<>();
    private final CountDownLatch first = new CountDownLatch(1);
    private volatile boolean closed;

    @Override
    public void onEvent(Event event) {
        synchronized (events) {
            events.add(event);
        }
        first.countDown();
    }

    @Override
    public void close() {
        closed = true;
    }

    void awaitFirst() {
        Threads.await(first);
    }

    boolean isClosed() {
        return closed;
    }

    List<Event> events() {
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    <E extends Event> List<E> events(Class<E> kind) {
        return events().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    <E extends Event> E only(Class<E> kind) {
        List<E> all = events(kind);
        if (all.size() != 1) {
            throw new AssertionError("expected one " + kind.getSimpleName() + ", got " + all.size());
        }
        return all.get(0);
    }

    List<RunEvent> of(String runId) {
        return events(RunEvent.class).stream()
                .filter(event -> event.run().runId().equals(runId))
                .toList();
    }
}
