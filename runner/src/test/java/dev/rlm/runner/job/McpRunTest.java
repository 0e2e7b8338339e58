package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs with the tools of {@code examples/mcp_server.py}. */
class McpRunTest {
    private static final Path EXAMPLE =
            Path.of("..", "examples", "mcp_server.py").toAbsolutePath();
    private static final String SERVER = "python3 '" + EXAMPLE + "'";

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
}
