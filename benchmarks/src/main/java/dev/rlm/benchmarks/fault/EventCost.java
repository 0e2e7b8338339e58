package dev.rlm.benchmarks.fault;

import dev.rlm.benchmarks.Agent;
import dev.rlm.benchmarks.TemporaryFolder;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of an event to the runner's thread, by the fault of one of the sinks: runs that do nothing but record, a
 * thousand events at a time, and between these, unmeasured, the time for the lanes to come to rest.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class EventCost {
    private static final int STEPS = 49;
    private static final int RUNS = 4;
    private static final int EVENTS = RUNS * (5 * STEPS + 3);

    @Param({
        "NONE",
        "HEALTHY",
        "THROWS",
        "OUT_OF_MEMORY",
        "STACK_OVERFLOW",
        "LINKAGE",
        "HANGS",
        "GIVEN_UP",
        "SLOW",
        "REENTRANT"
    })
    @SuppressWarnings("NullAway.Init") // set by JMH
    Misbehaviour fault;

    @SuppressWarnings("NullAway.Init") // set up before it is used
    private TemporaryFolder folder;

    @SuppressWarnings("NullAway.Init") // set up before it is used, too
    private Side side;

    private final Agent agent = new Agent(1, STEPS, () -> {});

    @Setup
    public void open() throws IOException {
        folder = TemporaryFolder.create("event-cost");
        side = new Side(folder.path(), fault);
    }

    @Setup(Level.Invocation)
    public void settle() {
        side.settle();
    }

    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public void event() {
        for (int i = 0; i < RUNS; i++) {
            agent.run(side.hub());
        }
    }

    @TearDown
    public void close() throws IOException {
        side.close();
        folder.close();
    }
}
