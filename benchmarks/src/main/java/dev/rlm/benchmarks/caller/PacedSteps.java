package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.figure.Sample;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Cost of a step to the thread that records it, if steps are rare: two threads record 4,000 a second together, for two
 * and a half seconds. Half a second before that does not count, nor do the bursts before it, by which all code is
 * compiled. The percentiles are of single steps.
 */
final class PacedSteps {
    static final String P50 = "p50 µs";
    static final String P999 = "p99.9 µs";

    private static final int THREADS = 2;
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1) / 2_000;
    private static final int WARM_UP_BURSTS = 16; // at full speed: so few steps would be compiled late
    private static final int BURST = 1_024;
    private static final int WARM_UP = 1_000; // paced steps of a thread
    private static final int MEASURED = 5_000;
    private static final double MICROSECOND = 1_000;

    private PacedSteps() {}

    public static void main(String[] args) throws InterruptedException {
        long[] nanos = new long[THREADS * MEASURED];
        try (Recorder recorder = Recorder.Kind.valueOf(args[0]).open()) {
            Thread[] threads = new Thread[THREADS];
            for (int i = 0; i < THREADS; i++) {
                int from = i * MEASURED;
                threads[i] = new Thread(() -> {
                    Recorder.Track track = recorder.track();
                    warmUp(recorder, track);
                    record(track, nanos, from);
                });
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        Arrays.sort(nanos);
        new Sample(Map.of(P50, percentile(nanos, 0.5), P999, percentile(nanos, 0.999))).print();
    }

    private static void warmUp(Recorder recorder, Recorder.Track track) {
        for (int i = 0; i < WARM_UP_BURSTS; i++) {
            for (int step = 0; step < BURST; step++) {
                track.step(step);
            }
            recorder.settle();
        }
    }

    private static void record(Recorder.Track track, long[] nanos, int from) {
        long due = System.nanoTime();
        for (int i = -WARM_UP; i < MEASURED; i++) {
            due += EVERY_NANOS;
            LockSupport.parkNanos(due - System.nanoTime());
            long start = System.nanoTime();
            track.step(i + WARM_UP);
            long took = System.nanoTime() - start;
            if (i >= 0) {
                nanos[from + i] = took;
            }
        }
    }

    static double percentile(long[] sorted, double share) {
        return sorted[(int) (share * (sorted.length - 1))] / MICROSECOND;
    }
}
