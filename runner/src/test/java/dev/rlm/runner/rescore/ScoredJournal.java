package dev.rlm.runner.rescore;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A journal of runs whose true answer is 7, and the commands that give them scores. */
record ScoredJournal(Path directory) {
    void record(RunSpec spec, Consumer<Run> running) {
        try (Sinks sinks = Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(directory).build())
                        .build();
                Run run = sinks.startRun(spec)) {
            running.accept(run);
        }
    }

    static RunSpec.Builder spec(String runId, String sample) {
        return RunSpec.builder("calc")
                .runId(runId)
                .task("What is 3 + 4?")
                .expectedAnswer("7")
                .model("m")
                .maxSteps(5)
                .correlation(Correlation.builder().sample(sample).build());
    }

    /** A run of one step that answers, with the reward that its environment gave. */
    void answered(String runId, String sample, @Nullable String answer, double reward) {
        record(spec(runId, sample).build(), run -> {
            try (Step step = run.startStep("3 + 4")) {
                step.action("submit", String.valueOf(answer));
                step.complete("noted");
            }
            run.reward(reward);
            run.complete(answer);
        });
    }

    /** So many runs of a hub, all solved and of a sample each. */
    void many(int runs) {
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(directory).build())
                .build()) {
            for (int i = 0; i < runs; i++) {
                try (Run run = sinks.startRun(spec("run-" + i, "s" + i).build())) {
                    run.reward(1);
                    run.complete("7");
                }
            }
        }
    }

    Cli run(String verb, String... options) {
        return with(Map.of(), verb, options);
    }

    Cli with(Map<String, String> variables, String verb, String... options) {
        return Cli.with(
                variables,
                Stream.concat(Stream.of(verb, "--journal", directory.toString(), "--index", "none"), Stream.of(options))
                        .toArray(String[]::new));
    }

    JsonNode json(String verb, String... options) {
        Cli done =
                run(verb, Stream.concat(Stream.of("--json"), Stream.of(options)).toArray(String[]::new));
        if (done.exitCode() != 0) {
            throw new AssertionError(done.exitCode() + ": " + done.err());
        }
        return new ObjectMapper().readTree(done.out());
    }

    /** The scores in the journal by run and source; several of a run are an error. */
    Map<String, RewardGiven> scores(String source) {
        Map<String, RewardGiven> scores = new TreeMap<>();
        Journal journal = Journal.open(directory);
        journal.read(
                journal.runs(),
                (run, events) -> events.stream()
                        .filter(RewardGiven.class::isInstance)
                        .map(RewardGiven.class::cast)
                        .filter(reward -> reward.source().equals(source))
                        .forEach(reward -> {
                            if (scores.put(run.runId(), reward) != null) {
                                throw new AssertionError("a second score of " + run.runId());
                            }
                        }));
        return scores;
    }

    /** A run's score. */
    RewardGiven score(String source, String runId) {
        return Objects.requireNonNull(scores(source).get(runId));
    }

    /** The folders of writers. */
    List<Path> writers() throws IOException {
        try (Stream<Path> found = Files.list(directory)) {
            return found.filter(Files::isDirectory).sorted().toList();
        }
    }

    /** As retention deletes one. */
    void deleteWriter(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** All that is written, as text. */
    String text() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }
}
