package dev.rlm.runs;

import dev.rlm.cli.Console;
import dev.rlm.cli.Journals;
import dev.rlm.cli.Verb;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** A journal to look into, and the commands that do. The clock goes on by a millisecond whenever it is asked. */
final class Recorded {
    static final String TASK = "What is 3 + 4?";

    private static final Map<String, String> VARIABLES = Map.of("RLM_JOURNAL_INDEX", "none");

    private final Path directory;
    private final AtomicLong millis = new AtomicLong();

    Recorded(Path directory) {
        this.directory = directory;
    }

    /** A hub that records into the journal; what it was given has been written once it is closed. */
    Sinks open() {
        return Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(directory).build())
                .clocks(
                        () -> Instant.parse("2026-03-01T10:20:30Z").plusMillis(millis.get()),
                        () -> Duration.ofMillis(millis.incrementAndGet()).toNanos())
                .build();
    }

    void record(RunSpec spec, Consumer<Run> running) {
        try (Sinks sinks = open()) {
            record(sinks, spec, running);
        }
    }

    /** Records a run by one hub with others. */
    static void record(Sinks sinks, RunSpec spec, Consumer<Run> running) {
        try (Run run = sinks.startRun(spec)) {
            running.accept(run);
        }
    }

    static RunSpec.Builder spec(String runId) {
        return RunSpec.builder("calc").runId(runId).task(TASK).model("a-model");
    }

    static Correlation ids(String sample, @Nullable String rollout, String split) {
        return Correlation.builder()
                .sample(sample)
                .rollout(rollout)
                .split(split)
                .build();
    }

    /** Three steps, one of them nested: a wrong call, a right one, and the answer. */
    static void solve(Run run) {
        try (Step step = run.startStep("a pocket calculator")) {
            step.action("calculate", "3 +");
            try (ToolCall tool = step.startToolCall("calculator")) {
                tool.arguments("{\"expression\":\"3 +\"}").fail(3, "not an expression");
            }
            step.reward("environment", -0.1, List.of(new RewardComponent("format", 1, -0.1, null)));
            step.fail("not an expression");
        }
        try (Step step = run.startStep()) {
            step.action("plan", "first calculate");
            try (Step nested = step.startStep("")) {
                nested.action("calculate", "3 + 4");
                try (ToolCall tool = nested.startToolCall("calculator")) {
                    tool.arguments("{\"expression\":\"3 + 4\"}").result("7");
                }
                nested.complete("7");
            }
            step.complete("planned");
        }
        try (Step step = run.startStep()) {
            step.action("submit", "7");
            step.reward(1);
            step.complete("right");
        }
        run.complete("It is 7.", "stop");
    }

    Cli list(String... options) {
        return run("list", options);
    }

    Cli show(String... options) {
        return run("show", options);
    }

    Cli diff(String... options) {
        return run("diff", options);
    }

    Cli run(String verb, String... options) {
        return Cli.with(VARIABLES, arguments(verb, options));
    }

    /** Starts a command that goes on while a test does. */
    RunningCli start(String verb, String... options) throws IOException {
        return RunningCli.start(directory, VARIABLES, arguments(verb, options));
    }

    private String[] arguments(String verb, String... options) {
        return Stream.concat(Stream.of(verb, "--journal", directory.toString()), Stream.of(options))
                .toArray(String[]::new);
    }

    /** Returns what a command prints on a terminal. */
    String inColours(Verb command, String... options) {
        StringWriter out = new StringWriter();
        PrintWriter printed = new PrintWriter(out);
        command.start(new Console(printed, printed, false, "rlm"), SinkConfig.of(VARIABLES), Journals.FILES);
        String[] all = arguments("", options);
        new CommandLine(command)
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.ON))
                .setOut(printed)
                .setErr(printed)
                .execute(Arrays.copyOfRange(all, 1, all.length));
        return out.toString();
    }
}
