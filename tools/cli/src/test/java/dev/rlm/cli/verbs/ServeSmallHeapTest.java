package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.ScriptedUpstream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code rlm serve} in a small heap. */
@Tag("thorough")
class ServeSmallHeapTest extends SmallHeapContract {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final ScriptedUpstream gateway;

    ServeSmallHeapTest() throws IOException {
        gateway = new ScriptedUpstream(
                ScriptedUpstream.json("{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
                        + "\"#### 12\"},\"finish_reason\":\"stop\"}]}"));
    }

    @AfterEach
    void stop() throws IOException {
        gateway.close();
    }

    @Override
    Server start() throws Exception {
        String url = startServer(Map.of(), "serve", "--port", "0", "--env", "chat");
        Map<String, String> headers = Map.of("Content-Type", "application/json");
        return new Server(URI.create(url + "/init"), headers, init("What is 3*4?"));
    }

    private String init(String content) {
        return "{\"completion_params\":{\"model\":\"sums\"},\"messages\":[{\"role\":\"user\",\"content\":\"" + content
                + "\"}],\"model_base_url\":\"" + gateway.url() + "/rollout_id/r\",\"metadata\":{\"rollout_id\":\"r\","
                + "\"invocation_id\":\"i\",\"experiment_id\":\"e\",\"run_id\":\"u\",\"row_id\":\"w\"}}";
    }

    @Override
    byte[] costlyBody(int size) {
        return init("\\u4e2d".repeat(size / 6)).getBytes(StandardCharsets.UTF_8);
    }

    /** All bodies are attempts at one rollout, of which the last counts: requests for the others are told so by 503. */
    @Override
    @Test
    void costlyBodiesAtOnce_areAnswered_alsoWhereOneReadsNoAnswer() throws Exception {
        Server server = start();
        String body = new String(costlyBody(3 << 20), StandardCharsets.UTF_8);
        String whole = head(server, "Content-Length: " + body.length(), "Connection: close") + body;
        List<Socket> clients = List.of(connect(server), connect(server), connect(server));
        for (Socket client : clients) {
            send(client, whole);
        }
        for (Socket client : clients.subList(0, 2)) {
            assertThat(response(client)).containsPattern("^HTTP/1.1 (200|503) ");
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertAnswers(server)); // a trainer tries again where it is told 503
        assertThat(rlm.process().isAlive()).isTrue();
    }
}
