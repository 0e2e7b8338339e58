package dev.rlm.benchmarks.reading;

import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.Fsync;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A program that writes a journal of so many steps, in runs of twenty: with short texts into one plain file, or with all of theirs into
 * files that are compressed once they are closed. It is the same each time but for the times.
 */
final class WriteJournal {
    private static final int STEPS_A_RUN = 20;
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int SHORT = 200; // characters

    private WriteJournal() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        int steps = Integer.parseInt(args[1]);
        boolean compressed = Boolean.parseBoolean(args[2]);
        RandomGenerator random = new SplittableRandom(1);
        JsonlSink.Builder journal =
                JsonlSink.builder().directory(Path.of(args[0])).fsync(Fsync.NEVER);
        if (!compressed) {
            journal.rotateSize(0).compress(false);
        }
        try (Sinks sinks = Sinks.builder().add("jsonl", journal.build()).build()) {
            for (int i = 0; i < steps / STEPS_A_RUN; i++) {
                while (!sinks.awaitRoom(LONG)) {
                    // it takes as long as it takes
                }
                run(sinks, i, random, compressed ? Integer.MAX_VALUE : SHORT);
            }
            sinks.flush(LONG);
            if (compressed) {
                awaitCompression(Path.of(args[0]));
            }
            sinks.close(LONG);
            SinkStatus status = sinks.statuses().get(0);
            if (status.ledger().droppedTotal() > 0) {
                throw new IllegalStateException("the journal is not whole: " + status.ledger());
            }
        }
        new Sample(Map.of("steps", (double) steps)).print();
    }

    /** Waits until all files but the last one are compressed, which a close would not wait for. */
    private static void awaitCompression(Path journal) throws IOException, InterruptedException {
        long plain = Long.MAX_VALUE;
        while (plain > 1) {
            TimeUnit.MILLISECONDS.sleep(100);
            try (Stream<Path> files =
                    Files.find(journal, 2, (file, unused) -> file.toString().matches(".*/events-[0-9]+[.]jsonl"))) {
                plain = files.count();
            }
        }
    }

    private static String cut(String text, int most) {
        return text.substring(0, Math.min(most, text.length()));
    }

    private static void run(Sinks sinks, int number, RandomGenerator random, int most) {
        RunSpec spec = RunSpec.builder("env-" + number % 3)
                .task("task " + number / 4)
                .correlation(
                        Correlation.builder().sample("sample-" + number / 4).build())
                .model("model-" + number % 2)
                .maxSteps(STEPS_A_RUN)
                .build();
        try (Run run = sinks.startRun(spec)) {
            for (int i = 0; i < STEPS_A_RUN; i++) {
                try (Step step = run.startStep("observation " + i)) {
                    int text = number * STEPS_A_RUN + i;
                    step.action("run_python", cut(VariedTexts.code(text), most));
                    step.reward(0.1 * random.nextInt(-2, 10));
                    step.complete(cut(VariedTexts.output(text), most));
                }
            }
            run.reward(random.nextInt(2));
            run.complete("the answer is " + number);
        }
    }
}
