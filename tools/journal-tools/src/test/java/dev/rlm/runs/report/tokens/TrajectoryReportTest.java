package dev.rlm.runs.report.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Usage;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Lengths of trajectories, as {@code rlm report --trajectories} tells them. */
class TrajectoryReportTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
    }

    /** A run of so many steps, each with a call of a model whose reply has so many tokens. */
    private void run(String model, int steps, @Nullable Long tokens, @Nullable String finish) {
        recorded.record(Recorded.spec(model, "s1"), run -> {
            for (int i = 0; i < steps; i++) {
                try (Step step = run.startStep("look")) {
                    call(step, tokens, finish);
                    step.action("search", i < 2 ? "cats" : "dogs " + i);
                    step.complete("found");
                }
            }
            run.complete(null);
        });
    }

    private static void call(Step step, @Nullable Long tokens, @Nullable String finish) {
        try (ModelCall call = step.startModelCall("p", "m")) {
            call.reply("x").usage(new Usage(10L, tokens, null, null));
            if (finish != null) {
                call.finishReason(finish);
            }
        }
    }

    @Test
    void lengths_areOfTheRunsThatWereNotCut() {
        run("a", 1, 100L, "stop");
        run("a", 2, 100L, "stop");
        run("a", 3, 100L, "stop");
        run("a", 4, 5_000L, "length");
        run("a", 1, null, null);
        recorded.record(Recorded.spec("a", "s1"), run -> run.abort("stopped"));

        JsonNode all = recorded.json("--trajectories").get("all");

        assertThat(all.get("runs").asInt()).isEqualTo(5);
        assertThat(all.get("turns_mean").asDouble()).isEqualTo(2.2);
        assertThat(all.get("turns_p50").asInt()).isEqualTo(2);
        assertThat(all.get("turns_p95").asInt()).isEqualTo(4);
        assertThat(all.get("turns_max").asInt()).isEqualTo(4);
        assertThat(all.get("model_calls_mean").asDouble()).isEqualTo(2.2);
        assertThat(all.get("response_tokens_runs").asInt()).isEqualTo(3);
        assertThat(all.get("response_tokens_mean").asDouble()).isEqualTo(200);
        assertThat(all.get("response_tokens_max").asInt()).isEqualTo(300);
        assertThat(all.get("clip_ratio").asDouble()).isEqualTo(0.25);
        assertThat(all.get("clip_ratio_runs").asInt()).isEqualTo(4);
        assertThat(all.get("actions").asInt()).isEqualTo(11);
        assertThat(all.get("repeated_actions").asInt()).isEqualTo(3);
    }

    @Test
    void run_thatALimitEnded_isTruncated_andInNoLengthOfResponses() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            try (Step step = run.startStep("look")) {
                call(step, 100L, "stop");
                step.complete("found");
            }
            run.truncate("max_steps", null);
        });
        JsonNode all = recorded.json("--trajectories").get("all");
        assertThat(all.get("truncated_runs").asInt()).isEqualTo(1);
        assertThat(all.get("response_tokens_runs").asInt()).isZero();
        assertThat(all.get("response_tokens_mean").isNull()).isTrue();
        assertThat(all.get("clip_ratio").asDouble()).isZero();
    }

    @Test
    void callsOfJudges_areNoneOfTheAgent() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            try (ModelCall call = run.startModelCall("p", "m")) {
                call.reply("x").usage(new Usage(10L, 7L, null, null));
            }
            tool(run, "cats");
            tool(run, "cats");
            try (Evaluation evaluation = run.startEvaluation("judge");
                    ModelCall call = evaluation.startModelCall("p", "m")) {
                call.reply("good").usage(new Usage(10L, 1_000L, null, null));
            }
            run.complete(null);
        });
        JsonNode all = recorded.json("--trajectories").get("all");
        assertThat(all.get("turns_max").asInt()).isEqualTo(1);
        assertThat(all.get("model_calls_max").asInt()).isEqualTo(1);
        assertThat(all.get("tool_calls_max").asInt()).isEqualTo(2);
        assertThat(all.get("response_tokens_max").asInt()).isEqualTo(7);
        assertThat(all.get("repeated_action_ratio").asDouble()).isEqualTo(0.5);
    }

    private static void tool(Run run, String query) {
        try (ToolCall call = run.startToolCall("search")) {
            call.arguments("{\"query\":\"" + query + "\"}").result("ok");
        }
    }

    @Test
    void rows_areThoseThatAreAskedFor() {
        run("a", 1, 100L, "stop");
        run("b", 3, 300L, "length");
        assertThat(recorded.json("--trajectories", "--by", "model").get("rows"))
                .extracting(row ->
                        row.get("model").asString() + " " + row.get("turns_max").asInt() + " "
                                + row.get("clip_ratio").asDouble())
                .containsExactly("a 1 0.0", "b 3 1.0");
        assertThat(recorded.report("--trajectories", "--by", "model").out())
                .containsSubsequence("TURNS AND CALLS", "RESPONSE TOKENS")
                .containsPattern("a +1 +1.0 +1 +1 +1 +1.0 +0.0")
                .containsPattern("b +- +- +- +- +0 +100.0 % +0 +33.3 %");
        assertThat(recorded.report("--trajectories", "--by", "model", "--csv")
                        .out()
                        .lines())
                .hasSize(3)
                .first()
                .asString()
                .startsWith("model,runs,turns_mean,turns_p50,turns_p95,turns_max,model_calls_mean,");
    }

    @Test
    void option_thatSaysNothingOfLengths_isRefused() {
        assertThat(recorded.report("--trajectories", "--k", "2").err()).contains("--trajectories does not take --k");
        assertThat(recorded.report("--trajectories", "--by", "tool").err())
                .contains("--trajectories does not take --by=tool");
    }
}
