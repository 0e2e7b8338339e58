package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that {@code rlm import --format rlm-code} makes of that program's run files. */
@Timeout(180)
class RlmCodeImportTest {
    private static final String SOLVED = "run_20260301_102030_000100";
    private static final String FAILED = "run_20260301_102031_000000";

    @TempDir
    private Path folder;

    private Exchange exchange;
    private Path files;

    @BeforeEach
    void writeFiles() throws IOException {
        exchange = new Exchange(folder.resolve("journal"));
        files = Files.createDirectory(folder.resolve("runs"));
        Files.writeString(
                files.resolve("a.jsonl"),
                step(
                                SOLVED,
                                1,
                                "30.001",
                                "run_python",
                                "\"code\":\"print(1)\"",
                                "\"success\":true,\"stdout\":\"1\\n\"," + "\"stderr\":\"\",\"execution_time\":0.5",
                                0.75,
                                null)
                        + step(
                                SOLVED,
                                2,
                                "30.6",
                                "delegate",
                                "\"tasks\":[\"x\"]",
                                "\"success\":true,\"mode\":\"d\"",
                                0.5,
                                null)
                        + step(SOLVED, 3, "31", "final", "\"final_response\":\"done\"", "\"message\":\"ok\"", 1, null)
                        + end(SOLVED, "31.5", true));
        Files.writeString(
                files.resolve("b.jsonl"),
                step(
                                FAILED,
                                1,
                                "31",
                                "run_python",
                                "\"code\":\"1/0\"",
                                "\"success\":false,\"stdout\":\"\",\"stderr\":"
                                        + "\"ZeroDivisionError\",\"execution_time\":0.25",
                                -0.3,
                                SOLVED)
                        + step(FAILED, 2, "32", "nope", "\"code\":null", "\"error\":\"unknown action\"", -0.2, SOLVED)
                        + end(FAILED, "33", false));
        Files.writeString(
                files.resolve("c.jsonl"),
                step(
                        "crashed",
                        1,
                        "40",
                        "run_python",
                        "\"code\":\"1\"",
                        "\"success\":true,\"stdout\":\"1\"," + "\"execution_time\":0.02",
                        0.8,
                        null));
    }

    @Test
    void runs_areThoseOfTheFiles() {
        Cli imported = exchange.run("import", "--format", "rlm-code", files.toString());
        assertThat(imported.exitCode()).as(imported.err()).isZero();
        assertThat(imported.out()).startsWith("imported 3 runs\n");
        assertThat(imported.err()).isEmpty();
        List<RunSummary> runs = Journal.open(exchange.journal()).runs();
        assertThat(runs).extracting(run -> run.run().runId()).containsExactly(SOLVED, FAILED, "crashed");
        assertThat(runs)
                .extracting(RunSummary::state)
                .containsExactly(RunState.COMPLETED, RunState.FAILED, RunState.ABANDONED);
        assertThat(Objects.requireNonNull(runs.get(1).row().end()).status().code())
                .as("as through each other door")
                .isEqualTo(RunStatus.INTERNAL);
        assertThat(runs).extracting(RunSummary::totalReward).containsExactly(2.25, -0.5, 0.8);
        assertThat(runs).extracting(RunSummary::isSolved).containsExactly(true, false, false);
        assertThat(runs).extracting(RunSummary::steps).containsExactly(3, 2, 1);
        assertThat(runs.get(0).run().startedAt()).isEqualTo(Instant.parse("2026-03-01T10:20:30.000100Z"));
        assertThat(runs.get(0).run().params())
                .containsEntry("framework", "native")
                .containsEntry("depth", 0);
        assertThat(runs.get(1).run().correlation().parentRun()).isEqualTo(SOLVED);
        assertThat(Objects.requireNonNull(runs.get(0).end()).finalAnswer()).hasToString("done");
        assertThat(exchange.run("import", "--format", "rlm-code", files.toString())
                        .out())
                .contains("imported 0 runs", "left out 3 runs known already");
    }

    @Test
    void steps_haveActionsTimesAndCalls() {
        exchange.run("import", "--format", "rlm-code", files.toString());
        List<RunEvent> events = Journal.open(exchange.journal()).events(SOLVED);
        List<StepEnded> steps = of(events, StepEnded.class);
        assertThat(steps).extracting(StepEnded::actionType).containsExactly("run_python", "delegate", "final");
        assertThat(steps)
                .extracting(step -> step.code().text())
                .containsExactly("print(1)", "{\"tasks\":[\"x\"]}", "done");
        assertThat(steps).extracting(step -> step.output().text()).containsExactly("1\n", "{\"mode\":\"d\"}", "ok");
        assertThat(steps.get(0).time()).isEqualTo(Instant.parse("2026-03-01T10:20:30.501Z"));
        assertThat(steps.get(1).time()).isEqualTo(Instant.parse("2026-03-01T10:20:31Z"));
        ModelCalled call = of(events, ModelCalled.class).get(0);
        assertThat(Objects.requireNonNull(call.reply()).content()).hasToString("{raw 1}");
        assertThat(call.usage().inputTokens()).isEqualTo(100);
        assertThat(call.usage().outputTokens()).isEqualTo(10);
        assertThat(call.parameters()).containsEntry("prompt_chars", 110);
        assertThat(call.duration()).isEqualTo(Duration.ofNanos(900_000));

        List<StepEnded> failed = of(Journal.open(exchange.journal()).events(FAILED), StepEnded.class);
        assertThat(failed).extracting(StepEnded::success).containsExactly(false, false);
        assertThat(failed)
                .extracting(step -> String.valueOf(step.error()))
                .containsExactly("ZeroDivisionError", "unknown action");
    }

    @Test
    void runThatWasStopped_isSolvedByItsRewards_asThroughEachOtherWayIn() throws IOException {
        Path stopped = folder.resolve("stopped.jsonl");
        Files.writeString(
                stopped,
                step("stopped", 1, "40", "run_python", "\"code\":\"1\"", "\"success\":true", 1, null)
                        + end("stopped", "41", false).replace("\"cancelled\":false", "\"cancelled\":true"));
        exchange.run("import", "--format", "rlm-code", stopped.toString());
        RunSummary run = Journal.open(exchange.journal()).runs().get(0);
        assertThat(run.state()).isEqualTo(RunState.ABORTED);
        assertThat(run.isSolved()).isTrue();
    }

    @Test
    void lineOfAnotherKind_isBad() throws IOException {
        Files.writeString(
                files.resolve("d.jsonl"), "{\"type\":\"meta\",\"run_id\":\"x\"}\n{\"type\":\"step\",\"run_id\":\"x\"}");
        Cli imported = exchange.run("import", "--format", "rlm-code", "--skip-bad-lines", files.toString());
        assertThat(imported.exitCode()).isZero();
        assertThat(imported.out()).contains("imported 3 runs\n", "bad      2 lines\n");
        assertThat(imported.err())
                .contains("d.jsonl, line 1: expected a \"type\" of step or final, and a \"run_id\"")
                .contains("d.jsonl, line 2: expected a \"timestamp\"");
    }

    @Test
    void badFieldOfACall_isToldWithItsLine_alsoInARunThatCrashed() throws IOException {
        Files.writeString(
                files.resolve("c.jsonl"),
                "{\"type\":\"step\",\"run_id\":\"x\",\"timestamp\":1,\"planner_raw\":\"p\",\"root_prompt_chars\":\"many\"}");
        Cli imported = exchange.run("import", "--format", "rlm-code", files.toString());
        assertThat(imported.exitCode()).isEqualTo(1);
        assertThat(imported.out()).contains("imported 2 runs\n", "bad      1 line\n");
        assertThat(imported.err()).contains("c.jsonl, line 1: expected \"root_prompt_chars\" to be a whole number");
    }

    /** The lines of a run. */
    static List<String> lines() {
        return List.of(
                step(
                        SOLVED,
                        1,
                        "30",
                        "run_python",
                        "\"code\":\"print(1)\"",
                        "\"success\":true,\"stdout\":\"1\"",
                        0.75,
                        null),
                end(SOLVED, "31", true));
    }

    private static String step(
            String run,
            int step,
            String second,
            String action,
            String fields,
            String observed,
            double reward,
            @Nullable String parent) {
        return """
                {"type":"step","run_id":"%s","environment":"generic","framework":"native","task":"a task",\
                "timestamp":"2026-03-01T10:20:%s+00:00","step":%d,"action":{"action":"%s",%s,"done":false},\
                "planner_raw":"{raw %d}","depth":0,"parent_run_id":%s,"root_prompt_chars":110,\
                "observation":{%s},"reward":%s,"usage":{"total_calls":1,"prompt_tokens":100,"completion_tokens":10}}
                """.formatted(run, second(second), step, action, fields, step, quoted(parent), observed, reward);
    }

    private static String end(String run, String second, boolean completed) {
        return """
                {"type":"final","run_id":"%s","timestamp":"2026-03-01T10:20:%s+00:00","completed":%s,"steps":3,\
                "total_reward":2.2,"final_response":"done","cancelled":false}
                """.formatted(run, second(second), completed);
    }

    private static String second(String second) {
        return second.contains(".") ? second : second + ".000";
    }

    private static String quoted(@Nullable String text) {
        return text == null ? "null" : "\"" + text + "\"";
    }

    private static <T extends RunEvent> List<T> of(List<RunEvent> events, Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
