package dev.rlm.benchmarks.fault;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;

/** A sink that takes every event and keeps none. */
final class Counting implements Sink {
    private volatile long events;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // its lane's thread alone writes
    public void onEvent(Event event) {
        events++;
    }

    /** Returns the number of events that it has taken. May be called on any thread. */
    long events() {
        return events;
    }
}
