package dev.rlm.benchmarks.soak;

import dev.rlm.benchmarks.fault.Misbehaviour;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import java.util.List;

/** Sinks with faults, one after the other, that are added to the hub and taken out again while runs go on. */
final class Guests {
    private static final String NAME = "guest";
    private static final List<Misbehaviour> FAULTS = List.of(
            Misbehaviour.THROWS,
            Misbehaviour.HANGS,
            Misbehaviour.OUT_OF_MEMORY,
            Misbehaviour.SLOW,
            Misbehaviour.STACK_OVERFLOW,
            Misbehaviour.REENTRANT,
            Misbehaviour.LINKAGE,
            Misbehaviour.HEALTHY);

    private final Sinks hub;
    private Misbehaviour fault = Misbehaviour.NONE;
    private int number;

    Guests(Sinks hub) {
        this.hub = hub;
    }

    /** Adds the next one, and tells its fault. */
    Guest welcome() {
        fault = FAULTS.get(number++ % FAULTS.size());
        Sink sink = fault.sink().orElseThrow();
        Misbehaviour.introduce(hub, sink);
        hub.add(NAME, sink);
        return new Guest(sink);
    }

    /** One that is there. */
    final class Guest implements AutoCloseable {
        private final Sink sink;

        private Guest(Sink sink) {
            this.sink = sink;
        }

        /** Takes it out. One that hangs is let go only then: so the hub has to do without an answer. */
        @Override
        public void close() {
            hub.remove(NAME);
            Misbehaviour.release(sink);
        }

        @Override
        public String toString() {
            return fault.label();
        }
    }
}
