package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** A trainer's real client of remote rollouts, with tests of its own, against {@code rlm serve} and {@code rlm gateway}. */
@Tag("thorough")
@Timeout(300)
@EnabledIfEnvironmentVariable(
        named = RemoteClientTest.CLIENT,
        matches = ".+",
        disabledReason = "RLM_ROLLOUT_CLIENT names no program that runs a trainer's client")
class RemoteClientTest {
    static final String CLIENT = "RLM_ROLLOUT_CLIENT";

    private static final Pattern LISTENING = Pattern.compile("listening on http://127.0.0.1:(\\d+)");
    private static final String THIS_MACHINE = "http://127.0.0.1:*";
    private static final int PATIENCE_SECONDS = 240;
    private static final int LARGEST = 18; // factor in a sum of the client

    @TempDir
    private Path folder;

    private Path journal(String name) {
        return folder.resolve(name).resolve("journal");
    }

    private RlmProcess start(String name, String... arguments) throws Exception {
        RlmProcess rlm = RlmProcess.start(
                Files.createDirectory(folder.resolve(name)),
                Map.of("RLM_JSONL_DIR", journal(name).toString(), "RLM_JSONL_ENABLED", "true"),
                arguments);
        rlm.await(() -> LISTENING.matcher(rlm.err()).find());
        return rlm;
    }

    private static String port(RlmProcess rlm) throws Exception {
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).isTrue();
        return said.group(1);
    }

    @Test
    void client_getsWhatItAsksFor_andEachCallIsInTheJournal() throws Exception {
        checkClient(Map.of(), "--env", "chat");
    }

    /** An environment that knows the sums rewards them, and the trainer is told. */
    @Test
    void client_isToldTheServersOwnReward() throws Exception {
        Path sums = folder.resolve("sums.jsonl");
        Files.write(
                sums,
                IntStream.range(0, LARGEST * LARGEST)
                        .mapToObj(i -> "{\"question\":\"What is %d*%d?\",\"answer\":\"#### %d\"}"
                                .formatted(i / LARGEST, i % LARGEST, i / LARGEST * (i % LARGEST)))
                        .toList());
        checkClient(Map.of("RLM_REWARD_EXTRA", "reward"), "--env", "calc", "--dataset", sums.toString());
    }

    private void checkClient(Map<String, String> variables, String... environment) throws Exception {
        String[] serve = Stream.concat(Stream.of("serve", "--port", "0"), Stream.of(environment))
                .toArray(String[]::new);
        try (RlmProcess gateway = start("gateway", "gateway", "--port", "0", "--allow-upstream", THIS_MACHINE);
                RlmProcess server = start("server", serve)) {
            ProcessBuilder client = new ProcessBuilder(System.getenv(CLIENT))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("client").toFile());
            client.environment().putAll(variables);
            client.environment().put("RLM_ROLLOUT_URL", "http://127.0.0.1:" + port(server));
            client.environment().put("RLM_GATEWAY_URL", "http://localhost:" + port(gateway));
            Process running = client.start();
            boolean over = running.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            running.destroyForcibly();
            String said = Files.readString(folder.resolve("client"));
            assertThat(over).as(said).isTrue();
            assertThat(running.exitValue()).as(said).isZero();

            server.signal("TERM");
            server.process().waitFor();
            gateway.signal("TERM");
            gateway.process().waitFor();
            List<String> rollouts = Journal.open(journal("server")).runs().stream()
                    .map(run -> run.run().correlation().rollout())
                    .toList();
            assertThat(rollouts).isNotEmpty();
            assertThat(Journal.open(journal("gateway")).runs())
                    .allMatch(run -> run.state() != RunState.RUNNING && run.state() != RunState.UNFINISHED)
                    .extracting(run -> run.run().correlation().rollout())
                    .containsAll(rollouts);
        }
    }
}
