package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.AllSinks;
import dev.rlm.benchmarks.Computation;
import dev.rlm.benchmarks.Texts;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Time from the end of a run's last step until the run's {@code complete} has returned, while two threads compute in the steps
 * of their runs, so that both cores are busy. The percentiles are of single runs.
 */
final class RunEnds {
    static final String P50 = "p50 µs";
    static final String P999 = "p99.9 µs";
    static final String ALL_SINKS = "all";
    static final String NO_SINK = "none";

    private static final int THREADS = 2;
    private static final int WARM_UP = 2_000; // runs of a thread
    private static final int MEASURED = 4_000;
    private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final int TEXT = 500;

    private RunEnds() {}

    /** With {@link #ALL_SINKS} or {@link #NO_SINK}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        measure(args[0], WARM_UP, MEASURED).print();
    }

    static Sample measure(String which, int warmUp, int measured) throws IOException, InterruptedException {
        if (which.equals(NO_SINK)) {
            try (Sinks hub = Sinks.builder().build()) {
                return measure(hub, warmUp, measured);
            }
        }
        try (AllSinks sinks = new AllSinks()) {
            return measure(sinks.hub(), warmUp, measured);
        }
    }

    private static Sample measure(Sinks hub, int warmUp, int measured) throws InterruptedException {
        long[] nanos = new long[THREADS * measured];
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int from = i * measured;
            Texts texts = new Texts(i);
            Computation computation = Computation.of(STEP_NANOS);
            threads[i] = new Thread(() -> {
                for (int run = -warmUp; run < measured; run++) {
                    long took = end(hub, texts, computation);
                    if (run >= 0) {
                        nanos[from + run] = took;
                    }
                }
            });
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Arrays.sort(nanos);
        return new Sample(Map.of(P50, PacedSteps.percentile(nanos, 0.5), P999, PacedSteps.percentile(nanos, 0.999)));
    }

    private static long end(Sinks hub, Texts texts, Computation computation) {
        Run run = hub.startRun(
                RunSpec.builder("benchmark").task(texts.prose(TEXT)).build());
        Step step = run.startStep();
        computation.run();
        step.complete(texts.prose(TEXT));
        String answer = texts.prose(TEXT);
        long start = System.nanoTime();
        run.complete(answer);
        return System.nanoTime() - start;
    }
}
