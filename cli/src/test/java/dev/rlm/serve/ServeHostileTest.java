package dev.rlm.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.HostileClientContract;
import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code rlm serve} in a small heap, with clients that send what they should not. */
@Tag("thorough")
class ServeHostileTest extends HostileClientContract {
    private static final Pattern LISTENING = Pattern.compile("listening on (http\\S+), environment");

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final GatewayDouble gateway;

    @SuppressWarnings("NullAway.Init") // set by each test
    private RlmProcess rlm;

    ServeHostileTest() throws IOException {
        gateway = new GatewayDouble(0);
    }

    @AfterEach
    void stop() {
        rlm.close();
        gateway.close();
    }

    @Override
    protected Server start(List<String> options) throws Exception {
        rlm = RlmProcess.start(
                folder, Map.of(), options, Main.class.getName(), "serve", "--port", "0", "--env", "chat");
        rlm.await(() -> LISTENING.matcher(rlm.err()).find());
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).isTrue();
        URI url = URI.create(said.group(1) + "/init");
        return new Server(rlm, url, Map.of("Content-Type", "application/json"), init("What is 3*4?"));
    }

    private String init(String content) {
        return "{\"completion_params\":{\"model\":\"sums\"},\"messages\":[{\"role\":\"user\",\"content\":\"" + content
                + "\"}],\"model_base_url\":\"" + gateway.url() + "/rollout_id/r\",\"metadata\":{\"rollout_id\":\"r\","
                + "\"invocation_id\":\"i\",\"experiment_id\":\"e\",\"run_id\":\"u\",\"row_id\":\"w\"}}";
    }

    @Override
    protected byte[] costlyBody(int size) {
        return init("\\u4e2d".repeat(size / 6)).getBytes(StandardCharsets.UTF_8);
    }

    /** All bodies are attempts at one rollout, of which the last counts: requests for the others are told so by 503. */
    @Override
    @Test
    protected void costlyBodiesAtOnce_areAnswered_alsoWhereOneReadsNoAnswer() throws Exception {
        Server server = start(SMALL_HEAP);
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

    @Test
    void bodyOfManyValues_isRefused_andOthersAreAnswered() throws Exception {
        Server server = start(SMALL_HEAP);
        String body = server.body().replace("\"sums\"", "\"sums\",\"x\":[" + "[],".repeat(1 << 20) + "[]]");
        Socket socket = connect(server);
        send(socket, head(server, "Content-Length: " + body.length(), "Connection: close") + body);
        assertThat(response(socket)).startsWith("HTTP/1.1 503 ").contains("\"error\"");
        assertAnswers(server);
    }
}
