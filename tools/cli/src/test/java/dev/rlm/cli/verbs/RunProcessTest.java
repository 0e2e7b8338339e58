package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.cli.testkit.PluginFolder;
import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Turn;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import dev.rlm.sinks.testkit.fault.Gate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code rlm run} as a process: its environment, its command line, and how it ends whatever goes on in it. */
@Timeout(300)
@DisabledOnOs(OS.WINDOWS)
class RunProcessTest {
    private static final Path EXAMPLE =
            Path.of("..", "..", "examples", "mcp_server.py").toAbsolutePath();
    private static final String KEY = "wholly-plain-words-7f3a";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Tag("thorough")
    @Test
    void server_seesOnlyWhatItIsGiven_andNoneOfItsWordsOnOurOutput() throws Exception {
        Path seen = folder.resolve("seen");
        String server = "sh -c 'echo a warning >&2; env > " + seen + "; exec python3 " + EXAMPLE + "'";
        Map<String, String> variables = new HashMap<>(Map.of(
                "OPENAI_API_KEY", "sk-1", "RLM_MCP_TOKEN", "t0ken", "DB_URL", "postgres://x", "RLM_JSONL_DIR", "j"));
        variables.put("RLM_PLUGINS", PluginFolder.naming(folder, PolicyProvider.class, CallingPolicy.class.getName()));

        try (RlmProcess rlm = RlmProcess.start(
                folder,
                variables,
                "run",
                "--samples",
                "1",
                "--rollouts",
                "2",
                "--policy",
                "calling",
                "--mcp",
                server,
                "--mcp-env",
                "DB_URL",
                "--mcp-env",
                "MODE=fast")) {
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
        Path events = folder.resolve("events");
        String server = "sh -c 'echo $$ > " + pid + "; exec python3 " + EXAMPLE + "'";
        try (RlmProcess rlm = RlmProcess.start(
                folder,
                Map.of("RLM_KEPT_FILE", events.toString()),
                "run",
                "--latency",
                "1h",
                "--sink",
                KeptSinkProvider.NAME,
                "--mcp",
                server)) {
            rlm.await(() -> Files.exists(events) && Files.readString(events).contains("StepStarted"));
            ProcessHandle process = ProcessHandle.of(
                            Long.parseLong(Files.readString(pid).strip()))
                    .orElseThrow();
            assertThat(process.isAlive()).isTrue();
            rlm.process().destroyForcibly();

            await("the end of the MCP server").atMost(PATIENCE).until(() -> !process.isAlive());
        }
    }

    @Tag("thorough")
    @Test
    @EnabledOnOs(OS.LINUX)
    void key_isNowhereElse_andASignalEndsACallThatStalls() throws Exception {
        Gate gate = new Gate();
        Path problems = Files.writeString(
                folder.resolve("problems.jsonl"), "{\"question\": \"What is 6 times 7?\", \"answer\": \"#### 42\"}\n");
        try (ChatServer server = ChatServer.start()) {
            server.answer(ChatAnswer.refusal(400, "the key " + KEY + " is not known here"));
            server.answer(ChatAnswer.text("Your key is " + KEY).pieces(12).stallAfter(2, gate));
            String[] job = {
                "run",
                "--policy",
                "openai",
                "--dataset",
                problems.toString(),
                "--base-url",
                server.baseUrl(),
                "--model",
                "m",
                "--api-key-env",
                "NAMED_FOR_NOTHING",
                "--rollouts",
                "2",
                "--concurrency",
                "1",
                "-v"
            };
            try (RlmProcess process = RlmProcess.start(folder, Map.of("NAMED_FOR_NOTHING", KEY), job)) {
                process.await(() -> server.requests().size() == 2);
                assertThat(commandLine(process)).contains("--api-key-env").doesNotContain(KEY);
                process.signal("INT");

                assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(process.process().exitValue()).isEqualTo(130);
                await("the end of the call").atMost(PATIENCE).until(() -> server.abandoned() == 1);
                assertThat(process.out() + process.err()).doesNotContain(KEY);
            }
            assertThat(server.requests())
                    .allSatisfy(request ->
                            assertThat(request.header("authorization")).hasValue("Bearer " + KEY));
        } finally {
            gate.open();
        }
        assertThat(Journal.open(folder.resolve(".rlm")).runs()).hasSize(2);
        assertThat(journalText()).contains("is not known here", "interrupted").doesNotContain(KEY);
    }

    /** What everybody on the machine sees of it. */
    private static String commandLine(RlmProcess process) throws IOException {
        Path file = Path.of("/proc", String.valueOf(process.process().pid()), "cmdline");
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private String journalText() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder.resolve(".rlm"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    /** A process whose reward function heeds nothing comes to its end, and says what it left behind. */
    @Tag("thorough")
    @Test
    void reward_thatHangs_isAbsentEverywhere() throws Exception {
        String plugins = PluginFolder.naming(folder, RewardProvider.class, HangingReward.class.getName());
        try (RlmProcess process = RlmProcess.start(
                folder,
                Map.of("RLM_PLUGINS", plugins),
                "run",
                "--samples=1",
                "--error-rate=0",
                "--reward=exact,probe",
                "--reward-timeout=200ms",
                "--timeout=1h")) {
            process.awaitSuccess();
            assertThat(process.out())
                    .contains("absent   4 of the runs have an absent reward and are in no mean reward")
                    .doesNotContain("stuck");
            assertThat(process.err())
                    .contains("4 computations of rewards took too long and did not stop when they were told to");
        }

        String journal = folder.resolve(".rlm").toString();
        Journal read = Journal.open(folder.resolve(".rlm"));
        assertThat(read.runs()).hasSize(4);
        String run = read.runs().get(0).run().runId();
        assertThat(Cli.with(Map.of(), "list", "--journal", journal).out()).containsPattern("no +\\d+ +absent");
        assertThat(Cli.with(Map.of(), "show", run, "--journal", journal).out())
                .contains("absent: probe: it took longer than 200ms", "reward absent");
        assertThat(Cli.with(Map.of(), "report", "--journal", journal).out())
                .contains("probe: it took longer than 200ms")
                .contains("4 runs have an absent reward: in no mean reward");
    }

    /** A policy that calls the example's tool and submits what it answered. */
    public static final class CallingPolicy implements PolicyProvider {
        @Override
        public String name() {
            return "calling";
        }

        @Override
        public Policy create(Role role, Briefing briefing) {
            Iterator<Turn> first = List.of(Turn.of("roman", "{\"number\":4}")).iterator();
            return (seen, step) -> first.hasNext() ? first.next() : Turn.of("submit", seen.text());
        }
    }

    /** A reward function that hangs, and heeds no interrupt. */
    public static final class HangingReward implements RewardProvider {
        @Override
        public String name() {
            return "probe";
        }

        @Override
        public RewardFunction create() {
            return trajectory -> {
                for (CountDownLatch never = new CountDownLatch(1); ; ) {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        // heeds nothing
                    }
                }
            };
        }
    }
}
