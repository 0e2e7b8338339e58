package dev.rlm.cli.verbs;

import static dev.rlm.cli.testkit.ScriptedUpstream.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.cli.testkit.WrappedAgent;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code rlm wrap} in a process of its own: what its command reads, prints and knows, and what ends both. */
class WrapProcessTest {
    private static final String ANSWER = "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"#### 12\"},"
            + "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ScriptedUpstream upstream;

    @BeforeEach
    void startUpstream() throws IOException {
        upstream = new ScriptedUpstream(json(ANSWER));
    }

    @AfterEach
    void stopUpstream() throws IOException {
        upstream.close();
    }

    private RlmProcess start(Map<String, String> variables, List<String> options, List<String> command)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("wrap"));
        arguments.addAll(options);
        arguments.add("--");
        arguments.addAll(command);
        return RlmProcess.start(folder, variables, Main.class, arguments.toArray(String[]::new));
    }

    private RlmProcess wrap(int exitCode, List<String> options, List<String> command) throws Exception {
        List<String> all = new ArrayList<>(List.of("--upstream", upstream.url()));
        all.addAll(options);
        RlmProcess rlm = start(Map.of(), all, command);
        try (OutputStream in = rlm.process().getOutputStream()) {
            in.write("input\n".getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // it has ended, and not read it
        }
        assertThat(rlm.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(rlm.process().exitValue()).as(rlm.err()).isEqualTo(exitCode);
        return rlm;
    }

    private static List<String> agent(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                WrappedAgent.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static List<String> shell(String script) {
        return List.of("/bin/sh", "-c", script);
    }

    private List<RunSummary> runs() {
        return Journal.open(folder.resolve(".rlm")).runs();
    }

    private List<RunEvent> events() {
        RunSummary run = runs().get(0);
        return Journal.open(folder.resolve(".rlm")).events(run.runId());
    }

    private <T extends RunEvent> List<T> events(Class<T> type) {
        return events().stream().filter(type::isInstance).map(type::cast).toList();
    }

    private RunEnded end() {
        assertThat(runs()).hasSize(1);
        return Objects.requireNonNull(runs().get(0).end());
    }

    /** Runs another command on the journal, in this process. */
    private Cli rlm(String... arguments) {
        Cli rlm = Cli.with(Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString()), arguments);
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();
        return rlm;
    }

    // ---- what is recorded

    @Test
    void calls_areRecordedWithTheCommandsOutputAndReward() throws Exception {
        RlmProcess rlm =
                wrap(0, List.of("--reward-exit-code", "--task", "What is 3*4?", "--model", "m"), agent("3*4?:2"));

        assertThat(rlm.out()).isEqualTo("#### 12\n#### 12\n");
        assertThat(rlm.err()).contains("recorded 2 calls; to look at them: rlm list");
        assertThat(end().outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end().totalReward()).isEqualTo(1);
        assertThat(Objects.requireNonNull(end().finalAnswer()).text()).isEqualTo("#### 12");
        assertThat(end().run().task().text()).isEqualTo("What is 3*4?");
        assertThat(end().run().model()).isEqualTo("m");
        assertThat(events(ModelCalled.class))
                .hasSize(2)
                .allSatisfy(call -> assertThat(call.usage().inputTokens()).isEqualTo(10));
        assertThat(events(SpanRecorded.class))
                .singleElement()
                .satisfies(span -> assertThat(span.attributes())
                        .containsEntry("process.exit.code", 0)
                        .containsEntry("rlm.command.stdout", "#### 12\n#### 12\n")
                        .containsEntry("rlm.command.stderr", ""));
        Cli show = rlm("show", "last");
        assertThat(show.out()).contains("process.exit.code 0\n", "rlm.command.stdout #### 12\n");
    }

    @Test
    void command_knowsItsRolloutAndTrace() throws Exception {
        RlmProcess rlm = wrap(0, List.of(), shell("echo $EP_ROLLOUT_ID; echo $BAGGAGE"));

        RunEnded end = end();
        assertThat(rlm.out().lines())
                .containsExactly(
                        end.run().correlation().rollout(),
                        "rlm.run_id=" + end.run().runId() + ",rlm.rollout_id="
                                + end.run().correlation().rollout());
        assertThat(rlm.err()).contains("warning: no call of a model came");
    }

    @Test
    void secretsOfTheOutput_areShownAndNotRecorded() throws Exception {
        String secret = "a-key-that-nobody-else-knows-4711";
        try (RlmProcess rlm = start(
                Map.of("MY_UPSTREAM_KEY", secret),
                List.of("--upstream", upstream.url(), "--upstream-key-env", "MY_UPSTREAM_KEY"),
                shell("echo key $MY_UPSTREAM_KEY; seq 1 9999"))) {
            rlm.awaitSuccess();
            assertThat(rlm.out()).startsWith("key " + secret).endsWith("\n9999\n");
        }

        String kept = events(SpanRecorded.class).get(0).attributes().toString();
        assertThat(kept).doesNotContain(secret).contains("\n9999\n");
        assertThat(kept.length()).isLessThan(20_000);
        assertThat(events().toString()).doesNotContain(secret);
    }

    // ---- how it ends

    @Test
    void exitCode_isHandedOnAndFailsTheRun() throws Exception {
        RlmProcess rlm = wrap(7, List.of(), shell("cat; exit 7"));

        assertThat(rlm.out()).isEqualTo("input\n");
        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end().status().code()).isEqualTo(RunStatus.UNKNOWN);
        assertThat(end().status().message()).contains("exit code 7");
        assertThat(events(RewardGiven.class)).isEmpty();
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({
        "echo judging; test $RLM_WRAP_EXIT_CODE = 0 && echo 0.5, 0.5",
        "exit 3, exit code 3",
        "echo, no finite number"
    })
    void rewardCommand_saysItAtTheEndOfItsOutput(String judge, String expected) throws Exception {
        RlmProcess rlm = wrap(0, List.of("--reward-command", judge), shell("echo done"));

        assertThat(rlm.out()).isEqualTo("done\n");
        assertReward(expected);
    }

    private void assertReward(String expected) {
        RewardGiven reward = events(RewardGiven.class).get(0);
        if (reward.absence() == null) {
            assertThat(reward.value()).isEqualTo(Double.parseDouble(expected));
        } else {
            assertThat(reward.absence()).contains(expected);
            assertThat(end().status().code()).isEqualTo(RunStatus.SCORE_INVALID);
        }
    }

    private void assertChildEnds() throws IOException {
        long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
        await().atMost(PATIENCE)
                .until(() ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void signal_endsCommandAndRun(String signal, int exitCode) throws Exception {
        try (RlmProcess rlm = start(
                Map.of(),
                List.of("--upstream", upstream.url()),
                shell("sleep 1000 & echo $! > pid.new; mv pid.new pid; wait"))) {
            rlm.await(() -> Files.exists(folder.resolve("pid")));
            rlm.signal(signal);
            assertThat(rlm.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(rlm.process().exitValue()).isEqualTo(exitCode);
        }

        assertThat(end().outcome()).isEqualTo(Outcome.ABORTED);
        assertChildEnds();
    }

    @Tag("thorough")
    @Test
    void kill_leavesTheCallsThatWereAnswered() throws Exception {
        try (RlmProcess rlm = start(
                Map.of(), List.of("--upstream", upstream.url()), shell(String.join(" ", agent("a:2")) + "; sleep 9"))) {
            rlm.await(() -> rlm.out().equals("#### 12\n#### 12\n"));
            rlm.process().destroyForcibly().waitFor();
        }
        rlm("recover");

        assertThat(end().outcome()).isEqualTo(Outcome.ABANDONED);
        assertThat(events(ModelCalled.class)).hasSize(2);
    }
}
