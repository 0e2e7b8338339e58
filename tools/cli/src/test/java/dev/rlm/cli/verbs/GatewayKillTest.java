package dev.rlm.cli.verbs;

import static dev.rlm.cli.testkit.ScriptedUpstream.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.sinks.event.RunStarted;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code rlm gateway} in a process of its own: that it is killed, frozen or busy is what agents and trainers hear least of. */
@Tag("thorough")
class GatewayKillTest {
    private static final String ASK =
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"What is 3*4?\"}],"
                    + "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]}";
    private static final String ANSWER =
            "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"#### 12\"},\"finish_reason\":\"stop\"}]}";
    private static final String CHAT =
            "/rollout_id/r/invocation_id/i/experiment_id/e/run_id/u/row_id/w/chat/completions";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ScriptedUpstream upstream;

    @SuppressWarnings("NullAway.Init") // likewise
    private GatewayProcess gateway;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedUpstream(json(ANSWER));
        restart();
    }

    private void restart() throws Exception {
        gateway = GatewayProcess.start(folder, Map.of(), "--upstream", upstream.url());
    }

    @AfterEach
    void stop() throws IOException {
        upstream.close();
        gateway.close();
    }

    private void log(String message, String status, String extras) throws Exception {
        HttpResponse<String> response = gateway.post(
                "/logs",
                "{\"program\":\"p\",\"status\":" + status + ",\"message\":\"" + message
                        + "\",\"tags\":[\"rollout_id:r\",\"rollout_id:r\",\"row_id:w\"],\"extras\":" + extras + "}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private static String code(int code) {
        return "{\"code\":" + code
                + ",\"message\":\"because\",\"details\":[{\"metadata\":{\"termination_reason\":\"max_steps\"}}]}";
    }

    private CompletableFuture<HttpResponse<String>> sentAsync() {
        CompletableFuture<HttpResponse<String>> call = gateway.client()
                .sendAsync(
                        gateway.request(CHAT)
                                .POST(HttpRequest.BodyPublishers.ofString(ASK))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        await().atMost(GatewayProcess.PATIENCE).until(() -> !upstream.requests().isEmpty());
        return call;
    }

    @Test
    void lineAfterTheEnd_isKept() throws Exception {
        log("done", code(100), "{}");
        log("one more", "null", "{}");
        assertThat(gateway.tree("/logs?tags=rollout_id:r")
                        .path("entries")
                        .path(0)
                        .path("message")
                        .asString())
                .isEqualTo("one more");
        gateway.kill();
        restart();
        assertThat(gateway.code("r")).isEqualTo(100);
        assertThat(gateway.tree("/logs?tags=rollout_id:r").path("entries")).hasSize(2);
        assertThat(gateway.runs()).hasSize(1);
    }

    @Test
    void killedGateway_goesOnWithTheRollout() throws Exception {
        log("on it", code(101), "{}");
        gateway.post(CHAT, ASK);
        gateway.kill(); // what was answered is synced
        restart();
        assertThat(gateway.code("r")).isEqualTo(101);
        assertThat(gateway.tree("/v1/traces/pointwise?tags=rollout_id:r")
                        .path("total_traces")
                        .intValue())
                .isEqualTo(1);

        gateway.post(CHAT, ASK);
        log("done", code(100), "{\"reward\":1}");
        gateway.kill();
        restart();
        assertThat(gateway.code("r")).isEqualTo(100);
        assertThat(gateway.tree("/logs?tags=rollout_id:r").path("entries")).hasSize(2);
        assertThat(gateway.calls("r")).hasSize(2);
        assertThat(gateway.events("r"))
                .filteredOn(RunStarted.class::isInstance)
                .hasSize(2)
                .last()
                .extracting(each -> each.run().params().get("continues_run"))
                .isEqualTo(gateway.events("r").get(0).run().runId());
    }

    @Test
    void killedInTheMiddleOfAReply_theRolloutIsThere_andTheReplyWasNotWhole() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        upstream.script((request, out) -> {
            ScriptedUpstream.begin(out);
            ScriptedUpstream.chunk(out, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n");
            never.await();
        });
        CompletableFuture<HttpResponse<String>> reply = sentAsync();
        gateway.kill();
        assertThat(reply).failsWithin(GatewayProcess.PATIENCE);
        never.countDown();
        upstream.script(json(ANSWER));
        restart();
        gateway.post(CHAT, ASK);
        assertThat(gateway.code("r")).isEqualTo(101);
        assertThat(gateway.calls("r")).hasSize(1);
    }

    @Test
    void rolloutOfAJob_isSeenByItAlone_alsoAfterAKill() throws Exception {
        gateway.stop();
        String one = "token-of-job-one-0123";
        String other = "token-of-job-two-0123";
        Files.writeString(folder.resolve("tokens"), "one " + one + "\nother " + other + "\n");
        String[] options = {"--upstream", upstream.url(), "--tokens", "tokens"};
        gateway = GatewayProcess.start(folder, Map.of(), options);
        gateway.post(CHAT, ASK, "Authorization", "Bearer " + one);
        gateway.kill();
        gateway = GatewayProcess.start(folder, Map.of(), options);
        assertThat(gateway.get("/v1/status?rollout_id=r", "x-rlm-token", one).body())
                .contains("101");
        assertThat(gateway.get("/v1/traces/pointwise?tags=rollout_id:r", "x-rlm-token", one)
                        .body())
                .contains("#### 12");
        assertThat(gateway.get("/v1/status?rollout_id=r", "x-rlm-token", other).statusCode())
                .isEqualTo(404);

        String failed = "{\"status\":{\"code\":13},\"message\":\"failed\",\"tags\":[\"rollout_id:r\"]}";
        assertThat(gateway.post("/logs", failed, "x-rlm-token", other).statusCode())
                .isEqualTo(200); // of a rollout of its own
        gateway.kill();
        gateway = GatewayProcess.start(folder, Map.of(), options);
        assertThat(gateway.get("/v1/status?rollout_id=r", "x-rlm-token", one).body())
                .contains("101");
        assertThat(gateway.get("/v1/status?rollout_id=r", "x-rlm-token", other).body())
                .contains("13");
    }

    @Test
    void keys_areInNothingThatItSays() throws Exception {
        gateway.stop();
        String key = "k" + "ey-of-the-upstream-1";
        String own = "k" + "ey-of-the-client-22";
        gateway = GatewayProcess.start(
                folder,
                Map.of("MODEL_KEY", key, "RLM_LOG_LEVEL", "trace"),
                "--upstream",
                upstream.url(),
                "--upstream-key-env",
                "MODEL_KEY");
        upstream.script((request, out) -> ScriptedUpstream.reply(
                        "401 Unauthorized", "", request.head().getBytes(StandardCharsets.UTF_8))
                .answer(request, out));
        assertThat(gateway.post(CHAT, ASK, "Authorization", "Bearer " + own).body())
                .contains(key);
        gateway.stop();
        assertThat(gateway.rlm().err()).contains("recorded 1 call").doesNotContain(key, own);
    }

    @Test
    @EnabledOnOs(OS.LINUX) // elsewhere the system's own bound for connections that wait may be lower
    void manyConnectionsAtOnce_waitForABusyGateway() throws Exception {
        String pid = String.valueOf(gateway.rlm().process().pid());
        List<Socket> sockets = new ArrayList<>();
        try {
            assertThat(new ProcessBuilder("kill", "-STOP", pid).start().waitFor())
                    .isZero();
            for (int i = 0; i < 500; i++) {
                Socket socket = new Socket();
                sockets.add(socket);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port()), 500);
                socket.getOutputStream()
                        .write("GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            }
            assertThat(new ProcessBuilder("kill", "-CONT", pid).start().waitFor())
                    .isZero();
            for (Socket socket : sockets) {
                socket.setSoTimeout((int) GatewayProcess.PATIENCE.toMillis());
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
