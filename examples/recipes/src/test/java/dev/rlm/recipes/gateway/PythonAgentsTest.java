package dev.rlm.recipes.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.recipes.gateway.CannedModel.Received;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * The official Python clients of OpenAI and Anthropic through the gateway, against going to the model directly, in the environment of the
 * program that {@code RLM_ROLLOUT_CLIENT} names.
 */
@Tag("thorough")
@Timeout(600)
@EnabledIfEnvironmentVariable(
        named = PythonAgentsTest.CLIENT,
        matches = ".+",
        disabledReason = "RLM_ROLLOUT_CLIENT names no program whose Python has the clients")
class PythonAgentsTest {
    static final String CLIENT = "RLM_ROLLOUT_CLIENT";

    private static final int PATIENCE_SECONDS = 540;
    private static final int CONVERSATIONS = 18; // three APIs, streamed and not, for three models

    @TempDir
    private Path folder;

    @Test
    void conversations_areTheSame_andRecorded() throws Exception {
        try (GatewayBeside gateway = new GatewayBeside(folder)) {
            List<String> seen = seen(gateway);
            assertThat(seen).hasSize(2 * CONVERSATIONS);
            int request = 0;
            for (int i = 0; i < seen.size(); i += 2) {
                assertThat(seen.get(i + 1)).isEqualTo(seen.get(i));
                String rollout = seen.get(i).substring(0, seen.get(i).indexOf(' '));
                int count = requests(rollout);
                List<Received> received = gateway.model().requests().subList(request, request + 2 * count);
                GatewayBeside.assertSameRequests(received.subList(0, count), received.subList(count, 2 * count));
                request += 2 * count;
                assertRecorded(gateway, rollout);
            }
            assertThat(gateway.model().requests()).hasSize(request);
        }
    }

    private List<String> seen(GatewayBeside gateway) throws Exception {
        Path said = folder.resolve("client");
        Path seen = folder.resolve("seen");
        Path script = Path.of(Objects.requireNonNull(PythonAgentsTest.class.getResource("test_sdks.py"))
                .toURI());
        ProcessBuilder client = new ProcessBuilder(System.getenv(CLIENT), script.toString(), "-k", "sdks")
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        String url = gateway.url().replace("127.0.0.1", "localhost");
        client.environment().put("RLM_ROLLOUT_URL", url);
        client.environment().put("RLM_GATEWAY_URL", url);
        client.environment().put("RLM_MODEL_URL", gateway.model().url());
        client.environment().put("RLM_FORWARDED_URL", gateway.url());
        client.environment().put("RLM_SEEN", seen.toString());
        Process running = client.start();
        try {
            assertThat(running.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly();
        }
        assertThat(running.exitValue()).as(Files.readString(said)).isZero();
        return Files.readAllLines(seen);
    }

    /** Returns how many requests a conversation takes. */
    private static int requests(String rollout) {
        return rollout.endsWith("broken") ? 1 : rollout.endsWith("busy") ? 4 : 2;
    }

    private static void assertRecorded(GatewayBeside gateway, String rollout) {
        if (rollout.endsWith("broken")) {
            gateway.assertRefused(rollout);
        } else if (rollout.endsWith("busy")) {
            gateway.assertTriedAgain(rollout);
        } else {
            gateway.assertConversation(rollout);
        }
    }
}
