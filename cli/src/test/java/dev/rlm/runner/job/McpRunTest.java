package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.launcher.CallingPolicyProvider;
import dev.rlm.cli.launcher.Cli;
import dev.rlm.cli.launcher.KeptSinkProvider;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs with the tools of {@code examples/mcp_server.py}. */
class McpRunTest {
    private static final Path EXAMPLE =
            Path.of("..", "examples", "mcp_server.py").toAbsolutePath();
    private static final String SERVER = "python3 '" + EXAMPLE + "'";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @BeforeAll
    static void needsPython() throws InterruptedException {
        boolean there;
        try {
            there = new ProcessBuilder("python3", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            there = false;
        }
        assumeTrue(there, "there is no python3 here");
    }

    private static String[] arguments(String calls, String... more) {
        List<String> all = new ArrayList<>(List.of("run", "--samples", "1", "--rollouts", "2", "--policy"));
        all.addAll(List.of(CallingPolicyProvider.NAME, "--set", CallingPolicyProvider.NAME + ".calls=" + calls));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static List<String> tools() {
        return KeptSinkProvider.events(ToolCalled.class).stream()
                .map(ToolCalled::tool)
                .toList();
    }

    @Test
    void toolsOfTheExample_areCalledInEachRun_andRecorded() {
        Cli run = Cli.run(arguments("roman {\"number\":1944}\nroman {\"number\":0}", "--mcp", SERVER));

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(KeptSinkProvider.events(RunStarted.class))
                .hasSize(2)
                .allSatisfy(started ->
                        assertThat(started.run().params()).containsEntry("tools", List.of("roman", "count_letters")));
        List<ToolCalled> calls = KeptSinkProvider.events(ToolCalled.class);
        assertThat(calls).hasSize(4).allSatisfy(call -> {
            assertThat(call.provider()).isEqualTo(ToolCalled.MCP);
            assertThat(call.attributes()).containsEntry("network.transport", "pipe");
        });
        assertThat(calls)
                .extracting(call -> call.result().text())
                .containsExactlyInAnyOrder("MCMXLIV", "MCMXLIV", "", "");
        assertThat(calls).extracting(ToolCalled::statusCode).contains(RunStatus.OK, RunStatus.UNKNOWN);
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .allSatisfy(end ->
                        assertThat(String.valueOf(end.finalAnswer())).contains("expected a number from 1 to 3999"));
    }

    @Test
    void names_thatCollide_areRefused_unlessTheServersHaveNames() throws IOException {
        Cli twice = Cli.run(arguments("", "--mcp", SERVER, "--mcp", SERVER));
        assertThat(twice.exitCode()).isEqualTo(2);
        assertThat(twice.err())
                .contains("two tools are named 'roman'", "--mcp NAME=SERVER")
                .hasLineCount(1);

        Path other = folder.resolve("other.py");
        Files.writeString(other, Files.readString(EXAMPLE).replace("\"roman\"", "\"submit\""));
        Cli action = Cli.run(arguments("", "--mcp", "python3 '" + other + "'"));
        assertThat(action.exitCode()).isEqualTo(2);
        assertThat(action.err()).contains("a tool is named 'submit', as an action of the environment is");

        String calls = "a_roman {\"number\":1}\nb_roman {\"number\":2}\nb_submit {\"number\":3}";
        Cli named =
                Cli.run(arguments(calls, "--mcp", "a=" + SERVER, "--mcp", "b=sh -c 'exec python3 " + EXAMPLE + "'"));
        assertThat(named.exitCode()).isEqualTo(1);
        assertThat(named.err()).isEqualTo("rlm: every run failed: 2 × calc knows no action 'b_submit'\n");
        assertThat(tools()).contains("a_roman", "b_roman").doesNotContain("b_submit");
    }

    @Test
    void serverThatCannotBeStarted_endsTheProgramWithOneLine() {
        Cli run = Cli.run(arguments("", "--mcp", "sh -c 'echo no license >&2; exit 4'"));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .isEqualTo(
                        "rlm: the MCP server 'sh' cannot be used: it has ended with exit code 4; it said: no license\n");
        assertThat(KeptSinkProvider.events(RunStarted.class)).isEmpty();
    }

    @Tag("thorough")
    @Test
    void server_seesOnlyWhatItIsGiven_andNoneOfItsWordsOnOurOutput() throws Exception {
        Path seen = folder.resolve("seen");
        String server = "sh -c 'echo a warning >&2; env > " + seen + "; exec python3 " + EXAMPLE + "'";
        Map<String, String> variables = Map.of(
                "OPENAI_API_KEY", "sk-1", "RLM_MCP_TOKEN", "t0ken", "DB_URL", "postgres://x", "RLM_JSONL_DIR", "j");

        try (RlmProcess rlm = RlmProcess.start(
                folder,
                variables,
                arguments("roman {\"number\":4}", "--mcp", server, "--mcp-env", "DB_URL", "--mcp-env", "MODE=fast"))) {
            rlm.awaitSuccess();
            assertThat(rlm.out()).contains("calling").doesNotContain("warning");
            assertThat(rlm.err()).doesNotContain("warning");
        }
        assertThat(seen)
                .content()
                .contains("DB_URL=postgres://x", "MODE=fast", "PATH=")
                .doesNotContain("OPENAI_API_KEY", "sk-1", "t0ken", "RLM_");
    }

    @Tag("thorough")
    @Test
    void programThatIsKilled_leavesNoServer() throws Exception {
        Path pid = folder.resolve("pid");
        String server = "sh -c 'echo $$ > " + pid + "; exec python3 " + EXAMPLE + "'";
        try (RlmProcess rlm = RlmProcess.start(
                folder,
                Map.of("RLM_KEPT_FILE", folder.resolve("events").toString()),
                "run",
                "--latency",
                "1h",
                "--sink",
                KeptSinkProvider.NAME,
                "--mcp",
                server)) {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(folder.resolve("events")).content().contains("StepStarted"));
            ProcessHandle process = ProcessHandle.of(
                            Long.parseLong(Files.readString(pid).strip()))
                    .orElseThrow();
            assertThat(process.isAlive()).isTrue();
            rlm.process().destroyForcibly();

            await().atMost(PATIENCE).until(() -> !process.isAlive());
        }
    }
}
