package dev.rlm.benchmarks.soak;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;

/** A sink that counts what comes and says that it keeps the record, so that it is given exactly what the journal is. */
final class Witness implements Sink {
    private volatile long events;
    private volatile long started;
    private volatile long ended;
    private volatile long heartbeats;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // its lane's thread alone writes
    public void onEvent(Event event) {
        events++;
        if (event instanceof RunStarted) {
            started++;
        } else if (event instanceof RunEnded) {
            ended++;
        } else if (event instanceof Heartbeat) {
            heartbeats++;
        }
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    long events() {
        return events;
    }

    long started() {
        return started;
    }

    long ended() {
        return ended;
    }

    long heartbeats() {
        return heartbeats;
    }
}
