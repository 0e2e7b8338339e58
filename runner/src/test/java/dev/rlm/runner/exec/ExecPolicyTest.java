package dev.rlm.runner.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents that are scripts of the shell. */
@Timeout(120)
class ExecPolicyTest {
    private static final String PROBLEM =
            "{\"question\": \"What is 6 times 7?\", \"answer\": \"<<6*7=42>>\\n#### 42\"}\n";

    @TempDir
    private Path folder;

    private Cli run(String script, String... more) throws IOException {
        Path problems = Files.writeString(folder.resolve("problems.jsonl"), PROBLEM);
        Path agent = Files.writeString(folder.resolve("agent.sh"), "cd '" + folder + "'\n" + script);
        List<String> all = new ArrayList<>(List.of(
                "run",
                "--policy",
                "exec",
                "--set",
                "exec.command=sh '" + agent + "'",
                "--dataset",
                problems.toString(),
                "--sink",
                "kept"));
        all.addAll(List.of(more));
        return Cli.with(Map.of(), all.toArray(String[]::new));
    }

    private static RunEnded end() {
        List<RunEnded> ends = KeptSinkProvider.events(RunEnded.class);
        assertThat(ends).hasSize(1);
        return ends.get(0);
    }

    @Test
    void program_actsTurnByTurn_andSeesWhatComesOfIt() throws IOException {
        Cli run = run("""
                read -r line; echo "$line" > first
                echo '{"type":"calculator","code":"6 * 7"}'
                read -r line; echo "$line" > second
                echo '{"actions":[{"type":"calculator","code":"6 *"},{"type":"calculator","code":"1 + 1"}]}'
                read -r line; echo "$line" > third
                echo '{"text":"42"}'
                cat > rest
                """);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(end().solved()).isTrue();
        assertThat(Files.readString(folder.resolve("first")))
                .contains(
                        "\"task\":\"What is 6 times 7?\"",
                        "\"name\":\"calculator\"",
                        "\"text_parameter\":\"expression\"",
                        "\"results\":[]");
        assertThat(Files.readString(folder.resolve("second")))
                .contains("\"output\":\"42\"", "\"type\":\"calculator\"")
                .doesNotContain("\"task\"");
        assertThat(Files.readString(folder.resolve("third"))).contains("\"error\":\"");
        assertThat(folder.resolve("rest")).isEmptyFile(); // its input has ended with the episode
        assertThat(KeptSinkProvider.events(StepEnded.class)).hasSize(3);
    }

    @Test
    void program_doesTheWhole_withItsIds() throws IOException {
        Cli run = run(
                "cat > task; echo \"$RLM_RUN_ID $RLM_SAMPLE_ID $RLM_MODEL $OPENAI_BASE_URL\" > ids; echo 42",
                "--set",
                "exec.whole=true",
                "--model",
                "m",
                "--base-url",
                "http://127.0.0.1:9/{run}/v1");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(end().solved()).isTrue();
        String id = KeptSinkProvider.events(RunStarted.class).get(0).run().runId();
        assertThat(Files.readString(folder.resolve("task"))).isEqualTo("What is 6 times 7?");
        assertThat(Files.readString(folder.resolve("ids")))
                .isEqualTo(id + " problems-1 m http://127.0.0.1:9/" + id + "/v1\n");
    }

    @ParameterizedTest
    @CsvSource({
        "echo no luck >&2; exit 3, the agent has ended with exit code 3: no luck",
        "echo hello, the agent says no JSON object",
        "echo '{}', the agent's line has no action",
        "echo '{\"actions\":[]}', \"actions\" is empty"
    })
    void programThatDoesNotAct_failsTheRun_andSaysWhy(String script, String why) throws IOException {
        assertThat(run("read -r line; " + script).exitCode()).isEqualTo(1);
        assertThat(String.valueOf(end().error())).contains(why);
    }

    @Tag("thorough")
    @Test
    void programThatHangs_isKilled_withWhatItHasStarted() throws IOException {
        Cli run = run("sleep 1000 & echo $! > child; wait", "--timeout", "2s");
        assertThat(run.exitCode()).isEqualTo(1);
        long child = Long.parseLong(Files.readString(folder.resolve("child")).strip());
        await().atMost(Duration.ofSeconds(30))
                .until(() ->
                        ProcessHandle.of(child).filter(ProcessHandle::isAlive).isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "exec.color=red, 'exec has command, whole'",
        "exec.whole=perhaps, expected true or false",
        "exec.command= , wants --set exec.command"
    })
    void settingThatIsNone_isRefused(String setting, String message) throws IOException {
        Cli run = run("", "--set", setting);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }
}
