package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.figure.CallerBytes;
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
 * Cost of a step to the thread that records it, in bursts of 1,024 steps: between two bursts, unmeasured, all that goes
 * on in the background comes to rest. Each iteration is one burst, which all threads begin together.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 25)
@Measurement(iterations = 20)
public class StepBurst {
    private static final int STEPS = 1_024;

    @Benchmark
    @OperationsPerInvocation(STEPS)
    public void steps(Runner runner) {
        long before = CallerBytes.allocated();
        int first = runner.steps;
        for (int i = 0; i < STEPS; i++) {
            runner.track.step(first + i);
        }
        runner.steps = first + STEPS;
        CallerBytes.add(before, STEPS);
    }

    /** Recorder of all threads. */
    @State(Scope.Benchmark)
    public static class Shared {
        @Param({"RAW_SDK_IDLE", "RAW_SDK_BATCH", "RAW_SDK_CURRENT", "RLM", "RLM_CURRENT"})
        @SuppressWarnings("NullAway.Init") // set by JMH
        String kind;

        @SuppressWarnings("NullAway.Init") // set up before it is used
        Recorder recorder;

        @Setup
        public void open() {
            recorder = Recorder.Kind.valueOf(kind).open();
        }

        @TearDown
        public void close() {
            recorder.close();
        }
    }

    /** A thread's own run. */
    @State(Scope.Thread)
    public static class Runner {
        @SuppressWarnings("NullAway.Init") // set up before it is used
        Recorder.Track track;

        int steps;

        @Setup
        public void start(Shared shared) {
            track = shared.recorder.track();
        }

        /** By each thread: one that waited for another to do it would wait busily, on a processor that is needed for it. */
        @Setup(Level.Iteration)
        public void settle(Shared shared) {
            shared.recorder.settle();
        }
    }
}
