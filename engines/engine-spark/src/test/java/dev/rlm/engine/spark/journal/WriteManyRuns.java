package dev.rlm.engine.spark.journal;

import dev.rlm.runs.exchange.parquet.ParquetFile;
import dev.rlm.runs.exchange.parquet.ParquetType;
import dev.rlm.runs.exchange.tables.ExportedTable;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.jsonl.Fsync;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Program that writes very many short runs, to measure how long a report of them takes: {@code tables FOLDER RUNS} writes the table of runs
 * of an export, {@code journal FOLDER RUNS WRITERS} a journal. Eight runs of each of two models are of one sample; each hundredth run was
 * retried.
 */
final class WriteManyRuns {
    private static final int RUNS_A_SAMPLE = 16;
    private static final int RETRIED = 100;
    private static final Duration BOUND = Duration.ofMinutes(1);

    private WriteManyRuns() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(Path.of(arguments[1]));
        long runs = Long.parseLong(arguments[2]);
        if (arguments[0].equals("tables")) {
            writeTable(folder, runs);
        } else {
            int writers = Integer.parseInt(arguments[3]);
            for (int writer = 0; writer < writers; writer++) {
                writeJournal(folder, runs * writer / writers, runs * (writer + 1) / writers);
            }
        }
    }

    /** A run that follows from its number. */
    private record Made(long number) {
        long hash() {
            long mixed = (number + 1) * 0x9E3779B97F4A7C15L;
            mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
            return mixed >>> 33;
        }

        /** The second attempt is the next run, of the same rollout. */
        boolean isRetried() {
            return number % RETRIED == 0;
        }

        long rollout() {
            return number % RETRIED == 1 ? number - 1 : number;
        }

        int attempt() {
            return number % RETRIED == 1 ? 2 : 1;
        }

        String id() {
            return String.format(Locale.ROOT, "%016x%016x", hash() << 31 ^ number, number);
        }

        String sample() {
            return "sample-" + rollout() / RUNS_A_SAMPLE;
        }

        String model() {
            return "policy-" + rollout() % 2;
        }

        Outcome outcome() {
            long kind = hash() % 50;
            return isRetried() || kind == 0 ? Outcome.FAILED : kind == 1 ? Outcome.ABORTED : Outcome.COMPLETED;
        }

        double reward() {
            return hash() / 50 % 5 / 4.0;
        }

        boolean isAbsent() {
            return hash() % 64 == 9;
        }
    }

    private static void writeTable(Path folder, long runs) throws IOException {
        Map<String, ParquetType> columns = ExportedTable.RUNS.columns();
        Path target = JournalInput.file(folder, ExportedTable.RUNS);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(target), 1 << 20)) {
            ParquetFile file = new ParquetFile(out, columns);
            for (long i = 0; i < runs; i++) {
                Map<String, Object> cells = cells(new Made(i));
                List<@Nullable Object> row = new ArrayList<>(columns.size());
                columns.keySet().forEach(name -> row.add(cells.get(name)));
                file.add(row);
            }
            file.finish();
        }
    }

    private static Map<String, Object> cells(Made run) {
        double reward = run.isAbsent() ? 0 : run.reward();
        long start = 1_772_000_000_000_000L + run.number() * 100;
        long micros = 1_000_000 + run.hash() % 60_000_000;
        Map<String, Object> cells = new HashMap<>();
        cells.put("run_id", run.id());
        cells.put("outcome", run.outcome().label());
        cells.put("solved", run.outcome() == Outcome.COMPLETED && reward >= 1);
        cells.put("total_reward", reward);
        cells.put("absent_rewards", run.isAbsent() ? 1L : 0L);
        cells.put("steps", 1 + run.hash() % 9);
        cells.put("started_at", start);
        cells.put("finished_at", start + micros);
        cells.put("duration_s", micros / 1e6);
        cells.put("environment", "shop");
        cells.put("model", run.model());
        cells.put("sample_id", run.sample());
        cells.put("trial", run.rollout() % RUNS_A_SAMPLE / 2);
        cells.put("rollout_id", "rollout-" + run.rollout());
        cells.put("attempt", (long) run.attempt());
        cells.put("experiment_id", "many-runs");
        cells.put("split", "train");
        cells.put("epoch", 0L);
        cells.put("train_step", run.number() / 4096);
        cells.put("policy_version", "v" + run.number() / 4096);
        cells.put("model_calls", 1 + run.hash() % 9);
        cells.put("input_tokens", 100 + run.hash() % 9999);
        cells.put("output_tokens", 10 + run.hash() % 999);
        cells.put("tool_calls", run.hash() % 9);
        cells.put("failed_tool_calls", 0L);
        if (run.outcome() == Outcome.FAILED) {
            cells.put("error_type", "com.example.Broken");
        }
        return cells;
    }

    private static void writeJournal(Path folder, long from, long to) throws InterruptedException {
        try (Sinks sinks = Sinks.builder()
                .add(
                        "jsonl",
                        JsonlSink.builder().directory(folder).fsync(Fsync.NEVER).build())
                .build()) {
            for (long i = from; i < to; i++) {
                while (!sinks.awaitRoom(BOUND)) {
                    // it takes as long as it takes
                }
                Made made = new Made(i);
                try (Run run = sinks.startRun(spec(made))) {
                    if (made.isAbsent()) {
                        run.rewardAbsent("exact", "no answer");
                    } else {
                        run.reward("exact", made.reward(), List.of());
                    }
                    switch (made.outcome()) {
                        case FAILED -> run.fail(new IllegalStateException("broken"));
                        case ABORTED -> run.abort("stopped");
                        default -> run.complete("done");
                    }
                }
            }
        }
    }

    private static RunSpec spec(Made run) {
        return RunSpec.builder("shop")
                .runId(run.id())
                .model(run.model())
                .correlation(CorrelationBuilder.builder()
                        .sample(run.sample())
                        .trajectoryIndex((int) (run.rollout() % RUNS_A_SAMPLE / 2))
                        .rollout("rollout-" + run.rollout())
                        .attempt(run.attempt())
                        .experiment("many-runs")
                        .split("train")
                        .epoch(0)
                        .trainStep(run.number() / 4096)
                        .policyVersion("v" + run.number() / 4096)
                        .build())
                .build();
    }
}
