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

    /** How many it has taken. On any thread. */
    long events() {
        return events;
    }
}
