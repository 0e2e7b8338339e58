package dev.rlm.benchmarks.reading;

import dev.rlm.benchmarks.Texts;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.Fsync;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** A program that writes a journal of so many steps, in runs of twenty, into one file: the same each time but for the times. */
final class WriteJournal {
    private static final int STEPS_A_RUN = 20;
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int CODE = 200;
    private static final int OUTPUT = 200;

    private WriteJournal() {}

    public static void main(String[] args) {
        int steps = Integer.parseInt(args[1]);
        Texts texts = new Texts(1);
        String code = texts.code(CODE);
        String output = texts.prose(OUTPUT);
        RandomGenerator random = new SplittableRandom(1);
        JsonlSink journal = JsonlSink.builder()
                .directory(Path.of(args[0]))
                .fsync(Fsync.NEVER)
                .rotateSize(0)
                .compress(false)
                .build();
        try (Sinks sinks = Sinks.builder().add("jsonl", journal).build()) {
            for (int i = 0; i < steps / STEPS_A_RUN; i++) {
                while (!sinks.awaitRoom(LONG)) {
                    // it takes as long as it takes
                }
                run(sinks, i, random, code, output);
            }
            sinks.close(LONG);
            SinkStatus status = sinks.statuses().get(0);
            if (status.ledger().droppedTotal() > 0) {
                throw new IllegalStateException("the journal is not whole: " + status.ledger());
            }
        }
        new Sample(Map.of("steps", (double) steps)).print();
    }

    private static void run(Sinks sinks, int number, RandomGenerator random, String code, String output) {
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
                    step.action("run_python", code);
                    step.reward(0.1 * random.nextInt(-2, 10));
                    step.complete(output);
                }
            }
            run.reward(random.nextInt(2));
            run.complete("the answer is " + number);
        }
    }
}
