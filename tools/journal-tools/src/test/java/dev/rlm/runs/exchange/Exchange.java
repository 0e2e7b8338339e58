package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A journal, and the commands that bring runs out of it and into it. */
public final class Exchange {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final JsonMapper JSON = new JsonMapper();

    private final Path journal;

    public Exchange(Path journal) {
        this.journal = journal;
    }

    public Path journal() {
        return journal;
    }

    /** Records into the journal what is given to the hub. */
    public void record(Consumer<Sinks> recording) {
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .secret("hunter2-secret")
                .build()) {
            recording.accept(sinks);
        }
    }

    /** Records a job: as many attempts at as many problems, each a calculation or more and an answer, most of which are right. */
    public void recordJob(int problems, int attempts) {
        record(sinks -> {
            for (int problem = 0; problem < problems; problem++) {
                for (int attempt = 0; attempt < attempts; attempt++) {
                    try (Run run = sinks.startRun(attempt(problem, attempt))) {
                        calculate(run, problem, (problem + attempt) % 3 != 2);
                    }
                }
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue(); // recorded faster than any disk writes
            }
        });
    }

    private static RunSpec attempt(int problem, int attempt) {
        return RunSpec.builder("calc")
                .task(question(problem))
                .expectedAnswer(String.valueOf(3 + problem))
                .model("scripted")
                .agent("scripted", null)
                .maxSteps(20)
                .seed(1)
                .param("error_rate", 0.1)
                .correlation(Correlation.builder()
                        .sample("calc-1-" + problem)
                        .rollout("calc-1-" + problem + "-" + attempt)
                        .trajectoryIndex(attempt)
                        .attempt(1)
                        .invocation("job-1")
                        .build())
                .build();
    }

    private static String question(int problem) {
        return "Greta has 3 books, and gets " + problem + " more. How many books does Greta have now?";
    }

    private static void calculate(Run run, int problem, boolean right) {
        String expression = "3+" + problem;
        String result = String.valueOf(3 + problem);
        for (int i = 0; i <= problem % 3; i++) {
            try (Step step = run.startStep(i == 0 ? question(problem) : "")) {
                step.action("calculator", expression);
                try (ToolCall tool = step.startToolCall("calculator")) {
                    tool.arguments("{\"expression\":\"" + expression + "\"}").result(result);
                }
                step.complete(result);
            }
        }
        String answer = right ? result : "-1";
        try (Step step = run.startStep()) {
            step.action("submit", answer);
            step.reward(right ? 1 : 0);
            step.complete(right ? "right" : "wrong");
        }
        run.complete(answer, "stop");
    }

    public Cli run(String... arguments) {
        return Cli.with(variables(), arguments);
    }

    /** Runs a command that reads that as its standard input. */
    Cli run(InputStream in, String... arguments) {
        return Cli.with(variables(), in, arguments);
    }

    /** Starts a command that goes on while a test does. */
    RunningCli start(String... arguments) throws IOException {
        return RunningCli.start(journal, variables(), arguments);
    }

    private Map<String, String> variables() {
        return Map.of("RLM_JSONL_DIR", journal.toString(), "RLM_JOURNAL_INDEX", "none");
    }

    /** Writes the runs to that file, with what it may take beside. */
    public Cli export(String format, Path file, String... options) {
        return run(
                Stream.concat(Stream.of("export", "--format", format, "--output", file.toString()), Stream.of(options))
                        .toArray(String[]::new));
    }

    /** The lines of an export to standard output. */
    public List<JsonNode> exported(String format, String... options) {
        Cli printed = run(Stream.concat(Stream.of("export", "--format", format, "--output", "-"), Stream.of(options))
                .toArray(String[]::new));
        assertThat(printed.exitCode()).as(printed.err()).isZero();
        return printed.out().lines().map(JSON::readTree).toList();
    }

    public static List<JsonNode> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream().map(JSON::readTree).toList();
    }
}
