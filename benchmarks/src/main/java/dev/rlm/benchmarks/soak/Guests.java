package dev.rlm.benchmarks.soak;

import dev.rlm.benchmarks.fault.Fault;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import java.util.List;

/** Sinks with faults, one after the other, that are added to the hub and taken out again while runs go on. */
final class Guests {
    private static final String NAME = "guest";
    private static final List<Fault> FAULTS = List.of(
            Fault.THROWS,
            Fault.HANGS,
            Fault.OUT_OF_MEMORY,
            Fault.SLOW,
            Fault.STACK_OVERFLOW,
            Fault.REENTRANT,
            Fault.LINKAGE,
            Fault.HEALTHY);

    private final Sinks hub;
    private Fault fault = Fault.NONE;
    private int number;

    Guests(Sinks hub) {
        this.hub = hub;
    }

    /** Adds the next one, and tells its fault. */
    Guest welcome() {
        fault = FAULTS.get(number++ % FAULTS.size());
        Sink sink = fault.sink().orElseThrow();
        Fault.introduce(hub, sink);
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
            Fault.release(sink);
        }

        @Override
        public String toString() {
            return fault.label();
        }
    }
}
