package dev.rlm.benchmarks.fault;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.testkit.fault.Gate;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A way in which a sink misbehaves; and two in which none does, to hold the others against. */
public enum Misbehaviour {
    /** No further sink: shows how far the measurement itself is off. */
    NONE(null),
    /** A further sink without a fault: shows the cost of any sink. */
    HEALTHY(Counting::new),
    /** Every event is answered with an exception. */
    THROWS(() -> on(event -> {
        throw new IllegalStateException("made to throw");
    })),
    /** Every event asks for more memory than there is. */
    OUT_OF_MEMORY(() -> on(event -> exhaust(Integer.MAX_VALUE))),
    /** Every event overflows the stack. */
    STACK_OVERFLOW(() -> on(event -> recurse(0))),
    /** Every event needs a class that is not there. */
    LINKAGE(() -> on(event -> {
        throw new NoClassDefFoundError("made/to/Miss");
    })),
    /** The first event is never done with; the queue is full. */
    HANGS(() -> new Hanging(Duration.ofDays(1))),
    /** The same, and the hub has given the sink up. */
    GIVEN_UP(() -> new Hanging(Duration.ofMillis(100))),
    /** Every event takes a millisecond; the queue is full. */
    SLOW(() -> on(event -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1)))),
    /** Calls back into the hub. */
    REENTRANT(Reentrant::new),
    /** Takes 5 ms to open a scope, on the runner's thread. */
    SLOW_SCOPE(SlowScope::new),
    /** Never answers where a run is found, on the runner's thread. */
    LOCATION_HANGS(HangingLocation::new),
    /** Sends to an MLflow that takes all. */
    MLFLOW(() -> MlflowStandIn.TAKES.sink()),
    /** Sends to an MLflow that never answers; its buffers are full. */
    MLFLOW_SILENT(() -> MlflowStandIn.SILENT.sink()),
    /** Sends to an MLflow that has no database and says so after 20 s; its buffers are full. */
    MLFLOW_LOCKED(() -> MlflowStandIn.LOCKED.sink()),
    /** Sends to an MLflow that is down; its buffers are full. */
    MLFLOW_DOWN(() -> MlflowStandIn.DOWN.sink());

    @SuppressWarnings("ImmutableEnumChecker") // it has no state
    private final @Nullable Supplier<Sink> sink;

    Misbehaviour(@Nullable Supplier<Sink> sink) {
        this.sink = sink;
    }

    /** Its name as the command line and the tables write it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A sink that has it. */
    public Optional<Sink> sink() {
        return Optional.ofNullable(sink).map(Supplier::get);
    }

    /** Returns whether its queue is to be full when it is measured. */
    boolean isMeasuredFull() {
        return switch (this) {
            case HANGS, GIVEN_UP, SLOW, MLFLOW_SILENT, MLFLOW_LOCKED, MLFLOW_DOWN -> true;
            default -> false;
        };
    }

    @Override
    public String toString() {
        return label();
    }

    /** Lets a sink that hangs go on. */
    public static void release(Sink sink) {
        if (sink instanceof Hanging hanging) {
            hanging.gate.open();
        }
    }

    /** Lets the sink call the hub that it is in. */
    public static void introduce(Sinks hub, Sink sink) {
        if (sink instanceof Reentrant reentrant) {
            reentrant.hub = hub;
        }
    }

    private static Sink on(Consumer<Event> action) {
        return new Sink() {
            @Override
            public void onEvent(Event event) {
                action.accept(event);
            }
        };
    }

    /**
     * Asks for an array that no heap has room for, so that the error is the virtual machine's own and no other thread
     * runs out of memory.
     */
    private static void exhaust(int length) {
        if (new long[length].length == 0) {
            throw new AssertionError("there was room");
        }
    }

    private static int recurse(int depth) {
        return depth < 0 ? depth : recurse(depth + 1) + 1;
    }

    private static final class Hanging implements Sink {
        private final Gate gate = new Gate();
        private final Duration patience;

        Hanging(Duration patience) {
            this.patience = patience;
        }

        @Override
        public void onEvent(Event event) {
            gate.pass();
        }

        @Override
        public Duration patience() {
            return patience;
        }
    }

    private static final class HangingLocation implements Sink {
        private final Gate gate = new Gate();

        @Override
        public Optional<URI> location(String runId) {
            gate.pass();
            return Optional.empty();
        }
    }

    private static final class Reentrant implements Sink {
        private volatile @Nullable Sinks hub;

        @Override
        public void onStepEnded(StepEnded event) {
            Sinks live = hub;
            if (live != null) {
                live.statuses();
                live.locations(event.run().runId());
            }
        }

        @Override
        public void onRunEnded(RunEnded event) {
            Sinks live = hub;
            if (live != null) {
                live.reward(event.run().runId(), "reentrant", 0.0, List.of());
                live.flush(Duration.ofMillis(1));
            }
        }
    }

    private static final class SlowScope implements Sink {
        @Override
        public Scope openScope(Place place) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            return Scope.NONE;
        }
    }
}
