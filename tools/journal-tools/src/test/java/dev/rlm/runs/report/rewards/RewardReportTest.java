package dev.rlm.runs.report.rewards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Rewards by their sources, as {@code rlm report --rewards} tells them, and failures by their layers. */
class RewardReportTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
    }

    private void run(String model, double judge, double tests) {
        recorded.record(Recorded.spec(model, "s1"), run -> {
            run.reward("judge", judge, List.of(new RewardComponent("style", judge, 0.5, null)));
            run.reward("tests", tests, List.of());
            run.complete(null);
        });
    }

    private static JsonNode given(JsonNode row, String... names) {
        return StreamSupport.stream(row.get("rewards").spliterator(), false)
                .filter(each -> Stream.of(names)
                        .allMatch(name -> List.of(
                                        each.get("kind").asString(),
                                        each.get("source").asString(),
                                        each.get("name").asString())
                                .contains(name)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(row.toString()));
    }

    @Test
    void sources_areToldApart_andWhichOfThemDecides() {
        run("a", 0, 1);
        run("a", 1, 1);
        run("a", 2, 1);
        recorded.record(Recorded.spec("a", "s1"), run -> {
            run.rewardAbsent("judge", "it timed out");
            run.complete(null);
        });
        recorded.record(Recorded.spec("a", "s1"), run -> {
            run.reward("judge", 9, List.of());
            run.abort("stopped");
        });

        JsonNode all = recorded.json("--rewards").get("all");

        assertThat(all.get("runs").asInt()).isEqualTo(4);
        JsonNode judge = given(all, "reward", "judge");
        assertThat(judge.get("given").asInt()).isEqualTo(3);
        assertThat(judge.get("absent").asInt()).isEqualTo(1);
        assertThat(judge.get("mean").asDouble()).isEqualTo(1);
        assertThat(judge.get("standard_deviation").asDouble()).isEqualTo(1);
        assertThat(judge.get("max").asDouble()).isEqualTo(2);
        assertThat(judge.get("correlation").asDouble()).isCloseTo(1, within(1e-12));
        assertThat(judge.get("variance_share").asDouble()).isCloseTo(1, within(1e-12));
        JsonNode tests = given(all, "tests");
        assertThat(tests.get("variance_share").asDouble()).isZero();
        assertThat(tests.get("correlation").isNull()).isTrue();
        assertThat(given(all, "reward_part", "style").get("variance_share").asDouble())
                .isEqualTo(0.5);
    }

    @Test
    void rewards_areToldByRow_inEachForm() {
        run("a", 0, 1);
        run("b", 1, 1);
        assertThat(recorded.json("--rewards", "--by", "model").get("rows")).hasSize(2);
        assertThat(recorded.report("--rewards", "--by", "model").out())
                .startsWith("2 completed or failed of 2 runs in ")
                .contains("REWARDS BY SOURCE")
                .containsPattern("a +judge +reward +1 +0\\.000")
                .containsPattern("all +judge +style +2 +0\\.500");
        assertThat(recorded.report("--rewards", "--by", "model", "--csv").out().lines())
                .startsWith("model,kind,source,name,unit,given,absent,not_finite,mean,standard_deviation,min,max,runs,"
                        + "correlation,variance_share")
                .contains("a,reward,judge,reward,,1,0,0,0.0,,0.0,0.0,1,,")
                .hasSize(7);
        assertThat(recorded.report("--rewards", "--markdown").out()).contains("### Rewards by source");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--against=model=a", "--k=2", "--x-axis=time"})
    void option_thatSaysNothingOfRewards_isRefused(String option) {
        assertThat(recorded.report("--rewards", option).err())
                .isEqualToIgnoringNewLines("rlm: --rewards does not take " + option.replaceFirst("=.*", ""));
    }

    @Test
    void toolsHaveNoRewards() {
        assertThat(recorded.report("--rewards", "--by", "tool").err())
                .contains("--rewards does not take --by=tool: a run calls many");
    }

    /** Records a run that failed by an error of this name, whatever language has it. */
    private void failed(String error) throws IOException {
        recorded.record(Recorded.spec("a", "s1"), run -> run.fail(new IllegalStateException("it broke")));
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.writeString(file, Files.readString(file).replace(IllegalStateException.class.getName(), error));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "openai.RateLimitError, model_server",
        "dev.rlm.runner.openai.ChatException, model_server",
        "APITimeoutError, model_server",
        "dev.rlm.runner.remote.RemoteRolloutException, model_server",
        "com.acme.tools.ParserException, user_function",
        "ToolNotFoundError, tool",
        "dev.rlm.tools.mcp.McpException, tool",
        "SandboxCrashed, sandbox",
        "docker.errors.ContainerError, sandbox",
        "DatasetGenerationError, data",
        "dev.rlm.episodes.SetupException, framework",
        "ray.exceptions.WorkerCrashedError, framework",
        "java.util.concurrent.CompletionException, user_function",
        "ValueError, user_function",
    })
    void failure_isOfTheLayer_thatItsErrorNames(String error, String layer) throws IOException {
        failed(error);
        assertThat(recorded.json().at("/all/layers").toString())
                .isEqualTo("[{\"layer\":\"" + layer + "\",\"runs\":1}]");
    }

    @Test
    void failure_whoseErrorNamesNone_isOfTheLastCallThatFailed() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            tool(run, true);
            run.fail(new IllegalStateException("broken"));
        });
        recorded.record(Recorded.spec("a", "s1"), run -> {
            tool(run, true);
            tool(run, false);
            run.fail(new IllegalStateException("broken"));
        });
        recorded.record(Recorded.spec("a", "s1"), run -> {
            try (ModelCall call = run.startModelCall("p", "m")) {
                call.fail("503");
            }
            run.fail(new IllegalStateException("broken"));
        });
        recorded.completed("a", "s1", 1);

        assertThat(recorded.json("--by", "layer").get("rows"))
                .extracting(row -> row.path("layer").asString("none") + " "
                        + row.get("runs").asInt())
                .containsExactlyInAnyOrder("none 1", "model_server 1", "tool 1", "user_function 1");
        assertThat(recorded.report().out()).contains("by layer: 1 model server, 1 tool, 1 user function");
        assertThat(recorded.report("--trajectories", "--by", "layer").out()).containsPattern("tool +1 ");
    }

    private static void tool(Run run, boolean fails) {
        try (ToolCall call = run.startToolCall("search")) {
            call.result("ok");
            if (fails) {
                call.fail(RunStatus.INTERNAL, "no answer");
            }
        }
    }
}
