package dev.rlm.benchmarks.journal;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * How many events a second come into the files, from the first until the last is there, after some that do not count. Lines
 * are counted in the files: it fails where one is missing.
 */
final class SustainedRate {
    static final String RATE = "events/s";
    static final String NANOS = "ns/event";

    private static final String BYTES = "bytes/event";
    private static final int WARM_UP = 20_000; // steps
    private static final int EVENTS = 2; // a step's

    private SustainedRate() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Recorder.Kind kind = Recorder.Kind.valueOf(args[0]);
        int threads = Integer.parseInt(args[1]);
        int steps = Integer.parseInt(args[2]);
        measure(kind, threads, Math.min(steps, WARM_UP));
        measure(kind, threads, steps).print();
    }

    static Sample measure(Recorder.Kind kind, int threads, int steps) throws IOException, InterruptedException {
        try (TemporaryFolder folder = TemporaryFolder.create("journal")) {
            long start;
            try (Recorder recorder = kind.open(folder.path())) {
                start = System.nanoTime();
                record(recorder, threads, steps / threads);
            }
            double nanos = System.nanoTime() - start;
            long events = (long) EVENTS * (steps / threads) * threads;
            return new Sample(Map.of(
                    RATE,
                    events * TimeUnit.SECONDS.toNanos(1) / nanos,
                    NANOS,
                    nanos / events,
                    BYTES,
                    (double) bytes(folder.path(), events) / events));
        }
    }

    private static void record(Recorder recorder, int threads, int steps) throws InterruptedException {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            Recorder.Track track = recorder.track();
            all[i] = new Thread(() -> {
                for (int step = 1; step <= steps; step++) {
                    track.step(step);
                }
            });
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    /** How long the files are, all of whose lines are there. */
    private static long bytes(Path folder, long events) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(file -> file.toString().endsWith(".jsonl")).toList();
        }
        long lines = 0;
        long bytes = 0;
        for (Path file : files) {
            bytes += Files.size(file);
            try (Stream<String> content = Files.lines(file)) {
                lines += content.filter(SustainedRate::isOfStep).count();
            }
        }
        if (lines != events) {
            throw new IllegalStateException(lines + " events in the files, of " + events);
        }
        return bytes;
    }

    private static boolean isOfStep(String line) {
        return line.contains("\"step_started\"") || line.contains("\"step_ended\"");
    }
}
