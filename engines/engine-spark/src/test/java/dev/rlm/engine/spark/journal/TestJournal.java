package dev.rlm.engine.spark.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Console;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/** A journal of two writers and more, with runs of all kinds; and commands about it. */
record TestJournal(Path folder) {
    /** Result of a command. */
    record Result(int exitCode, String out, String err) {}

    static SparkSession spark() {
        return SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "4")
                .getOrCreate();
    }

    static Result rlm(Map<String, String> variables, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console = new Console(new PrintWriter(out), new PrintWriter(err), false, "./rlm");
        int code = Rlm.execute(console, SinkConfig.of(variables), arguments);
        return new Result(code, out.toString(), err.toString());
    }

    /** Executes a command that must succeed, and returns what it printed. */
    String command(String... arguments) {
        Result result = rlm(Map.of("RLM_JSONL_DIR", folder.toString(), "RLM_JOURNAL_INDEX", "none"), arguments);
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result.out();
    }

    /** Exports the journal as Parquet tables, and returns their folder. */
    Path export(Path target) {
        command("export", "--format", "parquet", "--output", target.toString());
        return target;
    }

    private Sinks open() {
        return Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(folder).build())
                .build();
    }

    /** Records runs with two writers at the same time; some runs get a reward from the other writer after their end. */
    void record(long seed, int runs) {
        Random random = new Random(seed);
        try (Sinks one = open();
                Sinks other = open()) {
            for (int i = 0; i < runs; i++) {
                RunSpec spec = spec(random, seed + "-" + i);
                try (Run run = (i % 2 == 0 ? one : other).startRun(spec)) {
                    run(random, run);
                }
                if (random.nextInt(9) == 0) {
                    one.reward(spec.runId(), "person", random.nextInt(3), List.of());
                } else if (random.nextInt(9) == 0) {
                    other.rewardAbsent(spec.runId(), "judge", "nobody answered");
                }
            }
        }
    }

    /** Records a run whose process dies. */
    void recordAbandoned() throws IOException {
        TestJournal dying = new TestJournal(folder.resolveSibling("dying-" + System.nanoTime()));
        try (Sinks sinks = dying.open()) {
            Run run = sinks.startRun(spec(new Random(1), "abandoned"));
            run.startStep("look").complete("seen");
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();
            copy(dying.folder, folder);
            run.close();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }

    private static RunSpec spec(Random random, String id) {
        return RunSpec.builder("env-" + random.nextInt(2))
                .runId("run-" + id)
                .model("model-" + random.nextInt(2))
                .task("Task of " + id)
                .param("temperature", random.nextDouble())
                .tag("team", "team-" + random.nextInt(2))
                .correlation(CorrelationBuilder.builder()
                        .sample(random.nextInt(5) == 0 ? null : "sample-" + random.nextInt(9))
                        .rollout("rollout-" + random.nextInt(20))
                        .attempt(random.nextInt(4) == 0 ? null : random.nextInt(1, 4))
                        .split(random.nextBoolean() ? "train" : null)
                        .epoch(random.nextBoolean() ? 1 : null)
                        .trainStep(random.nextBoolean() ? 7L : null)
                        .policyVersion(random.nextBoolean() ? "v1" : null)
                        .trajectoryIndex(random.nextInt(3))
                        .build())
                .build();
    }

    private static void run(Random random, Run run) {
        for (int i = random.nextInt(4); i > 0; i--) {
            try (Step step = run.startStep("look")) {
                try (ModelCall call = step.startModelCall("p", "m")) {
                    call.usage(new Usage(random.nextLong(99), random.nextBoolean() ? null : 7L, null, 1L));
                }
                try (ToolCall call = step.startToolCall("tool")) {
                    if (random.nextBoolean()) {
                        call.fail(RunStatus.INTERNAL, "torn");
                    }
                }
                switch (random.nextInt(4)) {
                    case 0 -> step.reward(random.nextInt(4) / 3.0);
                    case 1 -> step.reward("judge", 1, List.of());
                    case 2 -> step.reward("judge", Double.POSITIVE_INFINITY, List.of());
                    default -> {}
                }
                step.complete("seen");
            }
        }
        if (random.nextInt(5) == 0) {
            run.rewardAbsent("judge", "no answer");
        }
        switch (random.nextInt(6)) {
            case 0 -> run.fail(new IllegalStateException("broken"));
            case 1 -> run.abort("stopped");
            default -> run.complete("done");
        }
    }
}
