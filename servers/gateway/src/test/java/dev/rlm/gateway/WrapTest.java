package dev.rlm.gateway;

import static dev.rlm.cli.testkit.ScriptedUpstream.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code rlm wrap} with programs that know nothing of it. */
class WrapTest {
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

    /** Runs a command that neither reads nor prints: its streams are those of this process. */
    private Cli run(Map<String, String> variables, List<String> options, List<String> command) {
        List<String> arguments = new ArrayList<>(List.of("wrap"));
        arguments.addAll(options);
        arguments.add("--");
        arguments.addAll(command);
        Map<String, String> all = new HashMap<>(variables);
        all.put("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
        return Cli.with(all, arguments.toArray(String[]::new));
    }

    private Cli wrap(int exitCode, List<String> options, List<String> command) {
        List<String> all = new ArrayList<>(List.of("--upstream", upstream.url()));
        all.addAll(options);
        Cli rlm = run(Map.of(), all, command);
        assertThat(rlm.exitCode()).as(rlm.err()).isEqualTo(exitCode);
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
        return shell("exec \"$0\" \"$@\" > /dev/null", command);
    }

    private static List<String> shell(String script) {
        return shell(script, List.of());
    }

    private static List<String> shell(String script, List<String> arguments) {
        return Stream.concat(Stream.of("/bin/sh", "-c", script), arguments.stream())
                .toList();
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

    // ---- what is recorded

    @Tag("thorough")
    @Test
    void apis_goWhereTheCallersVariablesSay() throws Exception {
        String root = "http://127.0.0.1:" + upstream.port();
        Cli rlm = run(
                Map.of("OPENAI_BASE_URL", root + "/one/v1", "ANTHROPIC_BASE_URL", root + "/two/"),
                List.of(),
                agent("hello:1", "anthropic"));
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();

        assertThat(upstream.requests())
                .extracting(request -> request.head().lines().findFirst().orElse(""))
                .containsExactly("POST /one/v1/chat/completions HTTP/1.1", "POST /two/v1/messages HTTP/1.1");
        assertThat(events(ModelCalled.class)).extracting(ModelCalled::provider).containsExactly("openai", "anthropic");
    }

    @Tag("thorough")
    @Test
    void run_isCalledAfterTheProgram_andTheModelThatItAsked() throws Exception {
        wrap(0, List.of(), agent("hello:2"));

        assertThat(runs()).hasSize(1);
        assertThat(runs().get(0).row().run().environment()).isEqualTo("sh");
        assertThat(runs().get(0).row().run().model()).isEqualTo("m");
        assertThat(runs().get(0).run().params().get("wrapped_command"))
                .asString()
                .startsWith("/bin/sh -c ");
    }

    @Tag("thorough")
    @Test
    void conversations_areRunsOfTheirOwn() throws Exception {
        wrap(0, List.of("--runs-by", "conversation"), agent("one:2", "two:3", "one:1"));

        assertThat(runs()).extracting(RunSummary::steps).containsExactlyInAnyOrder(2, 3, 1);
        assertThat(runs())
                .extracting(run -> Objects.requireNonNull(run.end()).outcome())
                .containsOnly(Outcome.COMPLETED);
    }

    // ---- how it ends

    @Test
    void exitCode_thatIsTheReward_failsNothing() throws Exception {
        wrap(7, List.of("--reward-exit-code"), shell("exit 7"));

        assertThat(end().outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(events(RewardGiven.class)).extracting(RewardGiven::value).containsExactly(0.0);
    }

    @ParameterizedTest
    @CsvSource({
        "echo 0.25 > $0, 0.25",
        "echo '{\"reward\": -1}' > $0, -1",
        "echo well > $0, no finite number",
        "echo NaN > $0, no finite number",
        "rm $0; mkfifo $0, is no file",
        "true, has not written"
    })
    void rewardFile_isReadWhereTheCommandHasWrittenIt(String script, String expected) throws Exception {
        Path file = Files.writeString(folder.resolve("reward"), "1.0");
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));

        wrap(0, List.of("--reward-file", file.toString()), shell(script, List.of(file.toString())));

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

    @Tag("thorough")
    @Test
    void timeout_endsAllThatTheCommandHasStarted() throws Exception {
        wrap(124, List.of("--timeout", "2s"), shell("sleep 1000 & echo $! > \"$0\"; wait", List.of(pid().toString())));

        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end().status().code()).isEqualTo(RunStatus.DEADLINE_EXCEEDED);
        assertChildEnds();
    }

    private Path pid() {
        return folder.resolve("pid");
    }

    private void assertChildEnds() throws IOException {
        long pid = Long.parseLong(Files.readString(pid()).strip());
        await().atMost(PATIENCE)
                .until(() ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Test
    void programThatIsNotThere_isToldAsShellsDo() throws Exception {
        Cli rlm = wrap(127, List.of(), List.of("no-such-program"));

        assertThat(rlm.err()).contains("rlm: 'no-such-program' cannot be started: there is no such program");
        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);

        wrap(126, List.of(), List.of(folder.toString()));
    }
}
