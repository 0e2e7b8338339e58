package dev.rlm.runner.openenv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.FreePort;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatRequest;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Episodes in an environment behind OpenEnv's own server, in the Python that {@code RLM_OPENENV_PYTHON} names. */
@Tag("thorough")
@Timeout(180)
@EnabledIfEnvironmentVariable(
        named = OpenEnvTest.PYTHON,
        matches = ".+",
        disabledReason = "RLM_OPENENV_PYTHON names no Python with the packages of requirements.txt")
class OpenEnvTest {
    static final String PYTHON = "RLM_OPENENV_PYTHON";

    private static final int SESSIONS = 2; // at a time
    private static final Pattern QUESTION = Pattern.compile("What is (\\d+) \\* 4");

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ChatServer model;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Process environment;

    private int port;

    @BeforeEach
    void start() throws IOException, URISyntaxException {
        model = ChatServer.start();
        port = FreePort.find();
        startEnvironment("");
    }

    private void startEnvironment(String kind) throws IOException, URISyntaxException {
        Path script = Path.of(Objects.requireNonNull(OpenEnvTest.class.getResource("server.py"))
                .toURI());
        environment = new ProcessBuilder(System.getenv(PYTHON), script.toString(), "" + port, "" + SESSIONS, kind)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("environment.log").toFile())
                .start();
        await().atMost(Duration.ofSeconds(60)).until(this::listens);
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @AfterEach
    void stop() throws IOException {
        environment.destroyForcibly();
        model.close();
    }

    private Cli run(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "run",
                "--env",
                "openenv",
                "--set",
                "openenv.url=http://127.0.0.1:" + port,
                "--policy",
                "openai",
                "--base-url",
                model.baseUrl(),
                "--model",
                "m",
                "--rollouts",
                "1",
                "--sink",
                "kept"));
        all.addAll(List.of(more));
        return Cli.with(Map.of(), all.toArray(String[]::new));
    }

    private static String right(ChatRequest request) {
        Matcher question = QUESTION.matcher(request.body());
        assertThat(question.find()).as(request.body()).isTrue();
        return "" + 4 * Integer.parseInt(question.group(1));
    }

    private static ChatAnswer act(String answer) {
        return ChatAnswer.text("").tool("c1", "act", "{\"answer\":\"" + answer + "\"}");
    }

    @Test
    void episodes_areSessions_whichWaitForRoom() {
        model.answers(request -> act(right(request)));
        Cli run = run("--samples", "6", "--seed", "11", "--concurrency", "6");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(KeptSinkProvider.events(RunStarted.class))
                .extracting(start -> start.run().correlation().sample())
                .containsExactlyInAnyOrder("Sums-11", "Sums-12", "Sums-13", "Sums-14", "Sums-15", "Sums-16");
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(6).allMatch(RunEnded::solved);
        assertThat(KeptSinkProvider.events(RewardGiven.class))
                .extracting(RewardGiven::value)
                .containsOnly(1.0);
        assertThat(KeptSinkProvider.events(StepStarted.class))
                .extracting(step -> step.observation().text())
                .contains("What is 11 * 4?");
        assertThat(KeptSinkProvider.events(ArtifactSaved.class))
                .hasSize(6)
                .allMatch(saved -> saved.name().equals("state.json"));
    }

    @Test
    void wordsAreTheOnlyField_errorsAreSeen_andTheEpisodeGoesOn() {
        AtomicInteger asked = new AtomicInteger();
        model.answers(request -> switch (asked.getAndIncrement()) {
            case 0 -> ChatAnswer.text("41"); // wrong, and no JSON
            case 1 -> act("crash");
            case 2 -> ChatAnswer.text("").tool("c1", "act", "{\"wrong\":1}");
            default -> ChatAnswer.text("So it is\n```json\n{\"answer\": \"" + right(request) + "\"}\n```");
        });
        Cli run = run("--samples", "1");
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<StepEnded> steps = KeptSinkProvider.events(StepEnded.class);
        assertThat(steps).hasSize(4);
        assertThat(steps.get(0).output().text()).isEqualTo("try again");
        assertThat(String.valueOf(steps.get(1).error())).contains("the world ended");
        assertThat(String.valueOf(steps.get(2).error())).contains("answer");
        assertThat(steps.get(3).output().text()).isEqualTo("right");
        assertThat(KeptSinkProvider.events(RewardGiven.class))
                .extracting(RewardGiven::value)
                .containsExactly(0.0, 1.0);
    }

    @Test
    void resetsOfAFile_areSamples() throws IOException {
        model.answers(request -> act(right(request)));
        Path resets = Files.writeString(
                folder.resolve("resets.jsonl"),
                "{\"seed\": 5, \"sample_id\": \"five\", \"task\": \"multiply\"}\n{\"seed\": 6}\nno json\n");
        assertThat(run("--dataset", resets.toString()).err()).contains("line 3: expected a JSON object");
        Cli run = run("--dataset", resets.toString(), "--skip-bad-lines");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(KeptSinkProvider.events(RunStarted.class))
                .extracting(start -> start.run().correlation().sample())
                .containsExactlyInAnyOrder("five", "Sums-2");
        assertThat(KeptSinkProvider.events(StepStarted.class))
                .extracting(step -> step.observation().text())
                .containsExactlyInAnyOrder("What is 5 * 4?", "What is 6 * 4?");
    }

    @Test
    void serverThatDies_failsTheRun_andTheNextAttemptIsASessionOfItsOwn() {
        AtomicInteger asked = new AtomicInteger();
        model.answers(request -> {
            if (asked.getAndIncrement() == 0) {
                environment.destroyForcibly();
                try {
                    environment.waitFor();
                    startEnvironment("");
                } catch (IOException | InterruptedException | URISyntaxException e) {
                    throw new AssertionError(e);
                }
            }
            return act(right(request));
        });
        Cli run = run("--samples", "1", "--retries", "2");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .extracting(end -> end.outcome().name())
                .containsExactly("FAILED", "COMPLETED");
        assertThat(String.valueOf(KeptSinkProvider.events(RunEnded.class).get(0).error()))
                .contains("session is gone");
    }

    @Test
    void toolsOfNames_areCalledAndRecorded() throws Exception {
        environment.destroyForcibly().waitFor();
        startEnvironment("tools");
        AtomicInteger asked = new AtomicInteger();
        model.answers(request -> switch (asked.getAndIncrement()) {
            case 0 -> ChatAnswer.text("").tool("c1", "look", "{}");
            case 1 -> ChatAnswer.text("").tool("c2", "guess", "{\"number\": -1}");
            default -> ChatAnswer.text("").tool("c3", "guess", "{\"number\": " + right(request) + "}");
        });
        Cli run = run("--samples", "1", "--seed", "7");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(model.requests().get(0).body()).contains("tells the question", "answers it");
        List<ToolCalled> calls = KeptSinkProvider.events(ToolCalled.class);
        assertThat(calls).extracting(ToolCalled::tool).containsExactly("look", "guess", "guess");
        assertThat(calls.get(0).result().text()).isEqualTo("What is 7 * 4?");
        assertThat(String.valueOf(calls.get(1).error())).contains("no number is that small");
        assertThat(KeptSinkProvider.events(RewardGiven.class))
                .extracting(RewardGiven::value)
                .containsExactly(1.0);

        model.answers(request -> ChatAnswer.text("I give up."));
        assertThat(run("--samples", "1").exitCode()).isZero();
        assertThat(String.valueOf(KeptSinkProvider.events(RunEnded.class).get(0).finalAnswer()))
                .contains("I give up.");
    }

    @ParameterizedTest
    @CsvSource({
        "openenv.url=ftp://x, expected URL|wants --set openenv.url=URL",
        "openenv.url=http://127.0.0.1:1, cannot be reached",
        "openenv.color=red, openenv.color is unknown",
        "openenv.timeout=soon, is not a duration"
    })
    void settingThatIsNone_isRefused(String setting, String message) {
        Cli run = run("--samples", "1", "--set", setting);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message.replaceFirst(".*\\|", ""));
    }
}
