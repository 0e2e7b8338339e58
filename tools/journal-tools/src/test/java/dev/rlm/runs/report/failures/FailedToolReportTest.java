package dev.rlm.runs.report.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Failed tool calls over all runs, as {@code rlm report --failed-tools} tells them. */
class FailedToolReportTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void open() {
        recorded = new Recorded(directory);
    }

    private static void failed(Run run, String tool, String arguments, String error) {
        try (Step step = run.startStep("try")) {
            try (ToolCall call = step.startToolCall(tool)) {
                call.arguments(arguments);
                call.fail(1, error);
            }
            step.complete("");
        }
    }

    private static void answered(Run run, String tool) {
        try (ToolCall call = run.startToolCall(tool)) {
            call.arguments("{}");
            call.result("found");
        }
    }

    private void three() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            answered(run, "search");
            failed(run, "bash", "{\"command\":\"make\"}", "exit code 2: no rule for line 17");
            run.complete("done");
        });
        recorded.record(Recorded.spec("b", "s2"), run -> {
            failed(run, "bash", "{\"command\":\"make all\"}", "exit code 2: no rule for line 99");
            failed(run, "search", "{\"query\":\"cats\"}", "timed out");
            run.abort("stopped");
        });
        recorded.record(Recorded.spec("b", "s3"), run -> run.complete("nothing to do"));
    }

    @Test
    void calls_areToldWithArgumentsAndErrors_theLatestFirst() {
        three();

        JsonNode report = recorded.json("--failed-tools");

        assertThat(List.of(
                        report.get("runs").asInt(),
                        report.get("runs_with_failed_calls").asInt(),
                        report.get("calls").asInt(),
                        report.get("failed_calls").asInt()))
                .containsExactly(3, 2, 4, 3);
        assertThat(report.get("errors").valueStream().map(FailedToolReportTest::row))
                .containsExactly("2 bash exit code 2: no rule for line …", "1 search timed out");
        assertThat(report.get("latest").valueStream())
                .extracting(
                        call -> call.get("tool").asString(),
                        call -> call.get("step").asInt(),
                        call -> call.get("arguments").asString(),
                        call -> call.get("error").asString())
                .containsExactly(
                        tuple("search", 2, "{\"query\":\"cats\"}", "timed out"),
                        tuple("bash", 1, "{\"command\":\"make all\"}", "exit code 2: no rule for line 99"),
                        tuple("bash", 1, "{\"command\":\"make\"}", "exit code 2: no rule for line 17"));
    }

    private static String row(JsonNode error) {
        return error.get("calls").asInt() + " " + error.get("tool").asString() + " "
                + error.get("error").asString();
    }

    @Test
    void person_seesErrorsAndCalls() {
        three();

        Cli report = recorded.report("--failed-tools");

        assertThat(report.exitCode()).isZero();
        assertThat(report.out())
                .contains("3 of 4 tool calls failed, in 2 runs", "ERRORS OF TOOLS", "LATEST FAILED CALLS")
                .contains("exit code 2: no rule for line …", "{\"command\":\"make all\"}", "{\"query\":\"cats\"}");
    }

    @Test
    void filter_choosesTheRuns_andCsvHasALineACall() {
        three();

        Cli report = recorded.report("--failed-tools", "--model=a", "--csv");

        assertThat(report.out().lines())
                .satisfiesExactly(
                        head -> assertThat(head).isEqualTo("run_id,step,seq,tool,arguments,status_code,error"),
                        line -> assertThat(line)
                                .contains(
                                        "bash,\"{\"\"command\"\":\"\"make\"\"}\"", "exit code 2: no rule for line 17"));
    }

    @Test
    void noCallThatFailed_isSaidInALine() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            answered(run, "search");
            run.complete("done");
        });

        assertThat(recorded.report("--failed-tools").out().lines())
                .singleElement()
                .asString()
                .endsWith("0 of 1 tool calls failed, in 0 runs");
    }

    @Test
    void latestCalls_areKept_whileAllAreCounted() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            for (int number = 1; number <= 250; number++) {
                failed(run, "bash", "{\"number\":" + number + "}", "it failed");
            }
            run.complete("done");
        });

        JsonNode report = recorded.json("--failed-tools");

        assertThat(report.get("failed_calls").asInt()).isEqualTo(250);
        assertThat(report.get("latest").size()).isEqualTo(200);
        assertThat(report.at("/latest/0/arguments").asString()).isEqualTo("{\"number\":250}");
        assertThat(report.at("/latest/199/arguments").asString()).isEqualTo("{\"number\":51}");
    }
}
