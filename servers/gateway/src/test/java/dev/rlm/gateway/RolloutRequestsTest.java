package dev.rlm.gateway;

import static dev.rlm.cli.testkit.ScriptedUpstream.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.RunEnded;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Logs, statuses and traces of rollouts, as trainers send and ask for them at {@code rlm gateway}. */
class RolloutRequestsTest {
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
    private RunningGateway gateway;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedUpstream(json(ANSWER));
        restart();
    }

    private void restart(String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of("--upstream", upstream.url()));
        options.addAll(List.of(more));
        gateway = RunningGateway.start(folder, Map.of(), options.toArray(String[]::new));
    }

    @AfterEach
    void stop() throws Exception {
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

    /** Begins a call that is answered once it may go on, and waits until the upstream has it. */
    private CompletableFuture<HttpResponse<String>> callUnderWay(CountDownLatch goOn) {
        upstream.script((request, out) -> {
            goOn.await();
            json(ANSWER).answer(request, out);
        });
        return sentAsync();
    }

    private CompletableFuture<HttpResponse<String>> sentAsync() {
        CompletableFuture<HttpResponse<String>> call = gateway.client()
                .sendAsync(
                        gateway.request(CHAT)
                                .POST(HttpRequest.BodyPublishers.ofString(ASK))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        await().atMost(RunningGateway.PATIENCE).until(() -> !upstream.requests().isEmpty());
        return call;
    }

    private static String code(int code) {
        return "{\"code\":" + code
                + ",\"message\":\"because\",\"details\":[{\"metadata\":{\"termination_reason\":\"max_steps\"}}]}";
    }

    private RunSummary lastRun() {
        List<RunSummary> runs = gateway.runs();
        return runs.get(runs.size() - 1);
    }

    @Test
    void logs_tellOfStatesTheEndAlone_theNewestFirst() throws Exception {
        log("turn 1", "null", "{}");
        assertThat(gateway.tree("/status?rollout_id=r").path("status").isNull()).isTrue();
        log("on it", code(101), "{}");
        assertThat(gateway.code("r")).isEqualTo(101);
        log("done", code(100), "{\"reward\":0.5,\"level\":\"WARNING\"}");
        assertThat(gateway.code("r")).isEqualTo(100);

        JsonNode entries = gateway.tree("/logs?tags=rollout_id:r&limit=100&hours_back=24&program=p")
                .path("entries");
        assertThat(Json.elements(entries))
                .extracting(each -> each.path("message").asString()
                        + each.path("status").path("code").asString(""))
                .containsExactly("done100", "on it", "turn 1");
        assertThat(entries.path(0).path("extras").path("reward").doubleValue()).isEqualTo(0.5);
        assertThat(entries.path(0).path("severity").asString()).isEqualTo("WARNING");
        assertThat(gateway.tree("/v1/logs?tags=rollout_id%3Ar&limit=1").path("entries"))
                .hasSize(1);

        RunEnded end = Objects.requireNonNull(lastRun().end());
        assertThat(end.totalReward()).isEqualTo(0.5);
        assertThat(end.terminationReason()).isEqualTo("max_steps");
        assertThat(lastRun().state()).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void lineOfVeryManyRollouts_isRefused_andBeginsNone() throws Exception {
        String tags = IntStream.range(0, 65)
                .mapToObj(each -> "\"rollout_id:r-" + each + "\"")
                .collect(Collectors.joining(","));
        HttpResponse<String> refused =
                gateway.post("/logs", "{\"message\":\"m\",\"status\":{\"code\":101},\"tags\":[" + tags + "]}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("the tags name 65 rollouts: a line tells of 64 at the most");
        assertThat(gateway.tree("/v1/rollouts").path("rollouts")).isEmpty();
    }

    @Test
    void callUnderWayWhenItsRolloutEnds_isInItsRun() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<HttpResponse<String>> first = callUnderWay(goOn);
        log("the server died", code(13), "{}");
        assertThat(gateway.code("r")).isEqualTo(13); // at once
        log("one more", "null", "{}");
        assertThat(gateway.tree("/logs?tags=rollout_id:r").path("entries")).hasSize(2);
        upstream.script(json(ANSWER));
        gateway.post(CHAT, ASK); // another attempt
        goOn.countDown();

        assertThat(first.get().statusCode()).isEqualTo(200);
        assertThat(gateway.runs()).extracting(RunSummary::state).containsExactly(RunState.FAILED, RunState.RUNNING);
        assertThat(gateway.runs())
                .extracting(run -> run.run().correlation().attempt())
                .containsExactly(1, 2);
        assertThat(gateway.calls("r"))
                .hasSize(2)
                .allSatisfy(call -> assertThat(
                                Objects.requireNonNull(call.reply()).content().text())
                        .isEqualTo("#### 12"));
    }

    @Test
    void endWhileACallIsUnderWay_isToldAtOnce_andOnce() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<HttpResponse<String>> call = callUnderWay(goOn);
        for (int i = 0; i < 2; i++) {
            assertThat(gateway.post("/rollouts/r/end", "{\"reward\":1.0,\"message\":\"good\"}")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(gateway.code("r")).isEqualTo(100);
        }
        log("one more", "null", "{}");
        goOn.countDown();

        assertThat(call.get().statusCode()).isEqualTo(200);
        assertThat(gateway.runs()).hasSize(1);
        assertThat(lastRun().state()).isEqualTo(RunState.COMPLETED);
        assertThat(lastRun().totalReward()).isEqualTo(1.0);
        assertThat(gateway.calls("r")).hasSize(1);
        assertThat(gateway.code("r")).isEqualTo(100);
    }

    private void ask(String... messages) throws Exception {
        List<Map<String, String>> said = new ArrayList<>();
        for (String each : messages) {
            said.add(Map.of("role", said.size() % 2 == 0 ? "user" : "assistant", "content", each));
        }
        HttpResponse<String> response = gateway.post(CHAT, Json.text(Map.of("model", "m", "messages", said)));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private List<List<String>> conversations(String query) throws Exception {
        return Json.elements(gateway.tree("/v1/traces/pointwise?tags=rollout_id:r" + query)
                        .path("traces"))
                .stream()
                .map(trace -> Json.elements(trace.path("input").path("messages")).stream()
                        .map(each -> each.path("content").asString())
                        .toList())
                .toList();
    }

    @Test
    void runThatALogBegan_hasModelAndTaskOfItsCalls() throws Exception {
        log("on it", code(101), "{}");
        assertThat(lastRun().row().run().model()).isEmpty();
        ask("What is 3*4?");
        gateway.post(CHAT, ASK.replace("\"m\"", "\"other\""));
        ask("What is 3*4?", "#### 12", "Sure?");

        assertThat(gateway.runs()).hasSize(1);
        assertThat(lastRun().row().run().model()).isEqualTo("m");
        assertThat(lastRun().run().model()).isEqualTo("m");
        assertThat(lastRun().run().task().text()).isEqualTo("What is 3*4?");
    }

    @Test
    void traces_areTheLastCallOfEachConversation_theNewestFirst_alsoAfterARestart() throws Exception {
        ask("main");
        ask("sub");
        ask("main", "#### 12", "go on");
        ask("sub", "changed since", "go on");

        List<List<String>> expected =
                List.of(List.of("sub", "changed since", "go on"), List.of("main", "#### 12", "go on"));
        assertThat(conversations("")).isEqualTo(expected);
        assertThat(conversations("&limit=1")).isEqualTo(expected.subList(0, 1));
        gateway.stop();
        gateway.close();
        restart();
        assertThat(conversations("")).isEqualTo(expected);

        ask("main", "#### 12", "go on", "#### 12", "the end");
        assertThat(conversations(""))
                .containsExactly(List.of("main", "#### 12", "go on", "#### 12", "the end"), expected.get(0));
    }

    @Test
    void trace_isTheLastCallThatWasAnswered() throws Exception {
        gateway.post(CHAT, ASK);
        assertThat(gateway.code("r")).isEqualTo(101);
        upstream.script(ScriptedUpstream.reply("500 Error", "", new byte[0]));
        gateway.post(CHAT, ASK);

        JsonNode traces =
                gateway.tree("/v1/traces/pointwise?limit=100&tags=rollout_id%3Ar&sleep_between_gets=0.1&max_retries=5");
        assertThat(traces.path("total_traces").intValue()).isEqualTo(1);
        JsonNode trace = traces.path("traces").path(0);
        assertThat(Json.elements(trace.path("tags")))
                .extracting(JsonNode::asString)
                .containsExactly("rollout_id:r", "invocation_id:i", "experiment_id:e", "run_id:u", "row_id:w");
        assertThat(Json.text(trace.path("input").path("messages")))
                .isEqualTo("[{\"role\":\"user\",\"content\":\"What is 3*4?\"}]");
        assertThat(trace.path("input")
                        .path("tools")
                        .path(0)
                        .path("function")
                        .path("name")
                        .asString())
                .isEqualTo("f");
        assertThat(Json.text(trace.path("output")))
                .isEqualTo("{\"role\":\"assistant\",\"content\":\"#### 12\",\"tool_calls\":null}");
    }

    @Test
    void secondAttempt_takesThePlaceOfTheFirst() throws Exception {
        gateway.post(CHAT, ASK);
        log("failed", code(13), "{}");
        assertThat(gateway.code("r")).isEqualTo(13);
        log("again", code(101), "{}");

        assertThat(gateway.code("r")).isEqualTo(101);
        assertThat(gateway.tree("/v1/traces/pointwise?tags=rollout_id:r").path("traces"))
                .isEmpty();
        assertThat(gateway.tree("/logs?tags=rollout_id:r").path("entries")).hasSize(1);
        assertThat(gateway.runs()).hasSize(2);
        assertThat(lastRun().run().correlation().attempt()).isEqualTo(2);
        assertThat(gateway.runs().get(0).state()).isEqualTo(RunState.FAILED);
    }

    @Test
    void idsThatOnlyTheCallTells_areInTheTrace() throws Exception {
        log("on it", code(101), "{}");
        gateway.post(CHAT, ASK);
        assertThat(gateway.tree("/v1/traces/pointwise?tags=rollout_id:r")
                        .path("traces")
                        .path(0)
                        .path("tags"))
                .hasSize(5);
    }

    @Test
    void stoppedGateway_leavesRolloutsOpen() throws Exception {
        gateway.post(CHAT, ASK);
        gateway.stop();
        assertThat(lastRun().state()).isEqualTo(RunState.ABORTED);
        restart();
        assertThat(gateway.code("r")).isEqualTo(101);
        assertThat(gateway.post("/v1/rollouts/r/end", "{\"reward\":1}").statusCode())
                .isEqualTo(200);
        assertThat(gateway.code("r")).isEqualTo(100);
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"reward\":1.0}',100,COMPLETED",
        "'{\"outcome\":\"failed\",\"message\":\"no\"}',13,FAILED",
        "'{\"outcome\":\"aborted\"}',1,ABORTED"
    })
    void end_isTold(String body, int code, RunState state) throws Exception {
        gateway.post(CHAT, ASK);
        assertThat(gateway.post("/rollouts/r/end", body).statusCode()).isEqualTo(200);
        assertThat(gateway.post("/rollouts/r/end", "{}").statusCode()).isEqualTo(200); // it has ended already

        assertThat(gateway.code("r")).isEqualTo(code);
        assertThat(lastRun().state()).isEqualTo(state);
        assertThat(gateway.tree("/logs?tags=rollout_id:r")
                        .path("entries")
                        .path(0)
                        .path("status")
                        .path("code")
                        .intValue())
                .isEqualTo(code);
        JsonNode rollout = gateway.tree("/v1/rollouts/r");
        assertThat(rollout.path("calls").intValue()).isEqualTo(1);
        assertThat(rollout.path("trainer_run_id").asString()).isEqualTo("u");
        assertThat(gateway.tree("/v1/rollouts?row_id=w&code=" + code).path("rollouts"))
                .hasSize(1);
        assertThat(gateway.tree("/v1/rollouts?row_id=other").path("rollouts")).isEmpty();
    }

    @Test
    void callAfterTheEnd_isANewAttempt() throws Exception {
        String chat = "/rollout_id/r%2F1/chat/completions";
        gateway.post(chat, ASK);
        assertThat(gateway.post("/rollouts/r%2F1/end", "").statusCode()).isEqualTo(200);
        gateway.post(chat, ASK);
        assertThat(gateway.code("r%2F1")).isEqualTo(101);
        assertThat(lastRun().run().correlation().attempt()).isEqualTo(2);
    }

    @Tag("thorough")
    @Test
    void rolloutThatIsSilent_hasEnded() throws Exception {
        gateway.close();
        restart("--idle-timeout", "1s");
        gateway.post(CHAT, ASK);
        assertThat(gateway.tree("/v1/status?rollout_id=r&wait=30s")
                        .path("status")
                        .path("code")
                        .intValue())
                .isEqualTo(100);
        await().atMost(RunningGateway.PATIENCE).until(() -> lastRun().state() == RunState.COMPLETED);
        assertThat(lastRun().end())
                .isNotNull()
                .extracting(end -> String.valueOf(end.terminationReason()))
                .isEqualTo("idle");
    }

    @Test
    void whoWaits_isAnsweredAtTheEnd() throws Exception {
        log("on it", code(101), "{}");
        CompletableFuture<HttpResponse<String>> waiting = gateway.client()
                .sendAsync(
                        gateway.request("/v1/status?rollout_id=r&wait=30s").build(),
                        HttpResponse.BodyHandlers.ofString());
        log("done", code(100), "{}");
        assertThat(waiting.join().body()).contains("{\"code\":100}");
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /logs, '{}', 400",
        "POST, /logs, 'no JSON', 400",
        "POST, /logs, '{\"tags\":[\"rollout_id:r\"],\"status\":{\"code\":\"x\"}}', 400",
        "POST, /logs, '{\"tags\":[\"rollout_id:r\"],\"extras\":[]}', 400",
        "GET, /logs, '', 400",
        "GET, /v1/status, '', 400",
        "GET, /v1/status?rollout_id=unknown, '', 404",
        "GET, /status?rollout_id=unknown, '', 404",
        "GET, /v1/traces/pointwise?tags=rollout_id:unknown, '', 200",
        "GET, /logs?tags=rollout_id:unknown, '', 200",
        "GET, /logs?tags=rollout_id:unknown&limit=x, '', 400",
        "GET, /v1/status?rollout_id=r&wait=soon, '', 400",
        "GET, /v1/rollouts/unknown, '', 404",
        "POST, /rollouts/unknown/end, '{}', 404",
        "POST, /rollouts/r/end, '{\"outcome\":\"great\"}', 400",
        "POST, /v1/status, '', 405",
        "PUT, /logs, '', 405"
    })
    void requestThatIsNotRight_isRefusedInWords(String method, String path, String body, int status) throws Exception {
        HttpResponse<String> response = gateway.client()
                .send(
                        gateway.request(path)
                                .method(method, HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).contains(status == 200 ? "[]" : "\"error\"");
        assertThat(gateway.runs()).isEmpty();
    }
}
