package dev.rlm.cli.verbs;

import static dev.rlm.cli.testkit.ScriptedUpstream.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.GatewayClient;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.journal.Journal;
import dev.rlm.json.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Rollouts that {@code rlm serve} does, whose model it asks through {@code rlm gateway}, with one journal. */
@Tag("thorough")
@Tag("smoke")
@Timeout(180)
class ServedThroughGatewayTest {
    private static final String ANSWER =
            "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"#### 12\"},\"finish_reason\":\"stop\"}],"
                    + "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ScriptedUpstream upstream;

    @SuppressWarnings("NullAway.Init") // likewise
    private RunningCli gateway;

    @SuppressWarnings("NullAway.Init") // likewise
    private RunningCli server;

    @SuppressWarnings("NullAway.Init") // likewise
    private GatewayClient client;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedUpstream(json(ANSWER));
        gateway = RunningCli.start(folder, Map.of(), "gateway", "--port", "0", "--upstream", upstream.url());
        server = RunningCli.start(
                folder,
                Map.of("RLM_HEARTBEAT", "100ms"),
                "serve",
                "--port",
                "0",
                "--env",
                "chat",
                "--reward",
                "brevity=1");
        client = new GatewayClient(folder, gateway.awaitUrl()) {};
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        gateway.close();
        upstream.close();
    }

    private void rollOut(String rollout, String row) throws Exception {
        Map<String, String> ids =
                Map.of("rollout_id", rollout, "invocation_id", "i", "experiment_id", "e", "run_id", "u", "row_id", row);
        Map<String, Object> body = Map.of(
                "completion_params",
                Map.of("model", "sums"),
                "messages",
                List.of(Map.of("role", "user", "content", "What is 3*4?")),
                "model_base_url",
                client.url() + "/rollout_id/" + rollout,
                "metadata",
                ids);
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.awaitUrl() + "/init"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(Json.text(body)))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private void awaitEnd(String rollout) {
        await().atMost(GatewayClient.PATIENCE).until(() -> client.code(rollout) == 100);
    }

    private Cli rlm(String... arguments) {
        Map<String, String> variables =
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString(), "RLM_JOURNAL_INDEX", "none");
        Cli done = Cli.with(variables, arguments);
        assertThat(done.exitCode()).as(done.err()).isZero();
        return done;
    }

    @Test
    void rollout_isOneRun_inEachFigure() throws Exception {
        rollOut("r-1", "1");
        rollOut("r-2", "2");
        awaitEnd("r-1");
        awaitEnd("r-2");
        server.stop();
        gateway.stop();

        assertThat(rlm("list").out()).contains("2 of 2 runs").doesNotContain("gateway");
        JsonNode report = Json.REPLY.object(rlm("report", "--json").out());
        assertThat(report.path("chosen_runs").intValue()).as("%s", report).isEqualTo(2);
        assertThat(rlm("list", "--rollout", "r-1").out()).contains("1 of 2 runs");
        assertThat(rlm("show", "r-1").out()).contains("chat", "#### 12");
        List<String> calls = Journal.open(folder.resolve(".rlm")).runs().stream()
                .map(run -> run.row().run().environment())
                .toList();
        assertThat(calls).containsExactly("chat", "chat");
    }

    @Test
    void rolloutThatTakesLong_isSeenToLive() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        upstream.script((request, out) -> {
            goOn.await();
            json(ANSWER).answer(request, out);
        });
        rollOut("r-1", "1");
        String first = client.tree("/v1/rollouts/r-1").path("heard_at").stringValue("");
        await().atMost(GatewayClient.PATIENCE).until(() -> logs("r-1") >= 3);
        assertThat(client.code("r-1")).isEqualTo(101);
        assertThat(client.tree("/v1/rollouts/r-1").path("heard_at").stringValue(""))
                .isGreaterThan(first);
        goOn.countDown();
        awaitEnd("r-1");
    }

    private int logs(String rollout) throws Exception {
        return client.tree("/logs?tags=rollout_id:" + rollout).path("entries").size();
    }

    @Test
    void rewardAfterTheEnd_isOfTheRunThatCounts() throws Exception {
        rollOut("r-1", "1");
        awaitEnd("r-1");
        server.stop();
        assertThat(client.post("/v1/rollouts/r-1/end", "{\"reward\":0.25}").statusCode())
                .isEqualTo(200);
        assertThat(client.tree("/v1/rollouts/r-1").path("reward").doubleValue()).isNotZero();
        gateway.stop();

        JsonNode run = Json.REPLY.object(rlm("list", "--json").out());
        assertThat(run.path("late_rewards").intValue()).as("%s", run).isEqualTo(1);
    }
}
