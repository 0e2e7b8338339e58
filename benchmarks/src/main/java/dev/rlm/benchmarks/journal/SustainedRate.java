package dev.rlm.benchmarks.journal;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Events a second that come into the files, from the first until the last is there, recorded by one thread and by two.
 * As many are recorded beforehand as it takes until the JVM has compiled what there is to compile. Lines are counted in
 * the files: it fails where one is missing.
 */
final class SustainedRate {
    static final String GROWTH = "ns/event, largest ÷ smallest job";

    private static final int EVENTS = 2; // a step's

    private SustainedRate() {}

    /** The arguments: who records; how many steps; whether to tell also what an event costs as they become more. */
    public static void main(String[] args) throws IOException, InterruptedException {
        measure(Recorder.Kind.valueOf(args[0]), Integer.parseInt(args[1]), Boolean.parseBoolean(args[2]))
                .print();
    }

    /** The name of the rate with that many threads. */
    static String rate(int threads) {
        return "events/s, " + threads + (threads == 1 ? " thread" : " threads");
    }

    static Sample measure(Recorder.Kind kind, int steps, boolean growing) throws IOException, InterruptedException {
        Map<String, Double> values = new TreeMap<>();
        for (int threads = 1; threads <= 2; threads++) {
            var unused = job(kind, threads, steps); // to warm up
        }
        Job one = job(kind, 1, steps);
        values.put(rate(1), one.rate());
        values.put(rate(2), job(kind, 2, steps).rate());
        values.put("bytes/event", one.bytesOfEvent());
        if (growing) {
            double before = job(kind, 1, steps / 2).nanosOfEvent();
            double largest = job(kind, 1, 2 * steps).nanosOfEvent();
            double smallest = (before + job(kind, 1, steps / 2).nanosOfEvent()) / 2;
            values.put(nanos(steps / 2), smallest);
            values.put(nanos(steps), one.nanosOfEvent());
            values.put(nanos(2 * steps), largest);
            values.put(GROWTH, largest / smallest);
        }
        return new Sample(values);
    }

    private static String nanos(int steps) {
        return "ns/event, job of " + steps + " steps";
    }

    private static Job job(Recorder.Kind kind, int threads, int steps) throws IOException, InterruptedException {
        try (TemporaryFolder folder = TemporaryFolder.create("journal")) {
            long start;
            try (Recorder recorder = kind.open(folder.path())) {
                start = System.nanoTime();
                record(recorder, threads, steps / threads);
            }
            double nanos = System.nanoTime() - start;
            long events = (long) EVENTS * (steps / threads) * threads;
            return new Job(nanos / events, (double) bytes(folder.path(), events) / events);
        }
    }

    /** Mean cost of an event: nanoseconds on the clock, and bytes in the files. */
    private record Job(double nanosOfEvent, double bytesOfEvent) {
        double rate() {
            return TimeUnit.SECONDS.toNanos(1) / nanosOfEvent;
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

    /** Returns the length of the files in bytes, and throws if a line is missing. */
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
