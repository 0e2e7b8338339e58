package dev.rlm.runner.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code rlm serve} as a trainer sees it: real sockets, and a gateway with a model behind it. */
@Timeout(180)
class ServeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String KEY = "fw-" + "k3y-of-the-trainer";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // set before each test
    private GatewayDouble gateway;

    @BeforeEach
    void start() throws IOException {
        gateway = new GatewayDouble(0);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        gateway.close();
    }

    // ---- parties

    private record Served(RunningCli rlm, String url) {}

    private Served serve(String... arguments) throws IOException {
        return serve(Map.of(), arguments);
    }

    private Served serve(Map<String, String> variables, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("serve", "--port", "0"));
        if (!List.of(arguments).contains("--env")) {
            all.addAll(List.of("--env", "chat"));
        }
        all.addAll(List.of(arguments));
        RunningCli rlm = RunningCli.start(folder, variables, all.toArray(String[]::new));
        opened.add(rlm);
        return new Served(rlm, rlm.awaitUrl());
    }

    private JsonObject request(String rollout, String row) {
        Map<String, String> ids = Map.of(
                "rollout_id",
                rollout,
                "invocation_id",
                "in-1",
                "experiment_id",
                "ex-1",
                "run_id",
                "tr-1",
                "row_id",
                row);
        JsonObject metadata = new JsonObject();
        ids.forEach(metadata::addProperty);
        JsonObject message = new JsonObject();
        message.addProperty("role", "user");
        message.addProperty("content", "What is 3*4?");
        message.add("name", JsonNull.INSTANCE);
        message.add("tool_calls", JsonNull.INSTANCE);
        JsonArray messages = new JsonArray();
        messages.add(message);
        JsonObject params = new JsonObject();
        params.addProperty("model", "sums");
        JsonObject request = new JsonObject();
        request.add("completion_params", params);
        request.add("messages", messages);
        request.add("tools", JsonNull.INSTANCE);
        request.addProperty(
                "model_base_url",
                gateway.url() + "/rollout_id/" + rollout + "/invocation_id/in-1/experiment_id/ex-1/run_id/tr-1/row_id/"
                        + row);
        request.add("metadata", metadata);
        request.add("api_key", JsonNull.INSTANCE);
        return request;
    }

    private JsonObject request(String rollout) {
        return request(rollout, "row-1");
    }

    private HttpResponse<String> init(Served server, JsonObject body) {
        return post(server.url() + "/init", body.toString(), Map.of());
    }

    /** Asks for many rollouts at a time. */
    private List<CompletableFuture<HttpResponse<String>>> initAll(Served server, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> http.sendAsync(
                        HttpRequest.newBuilder(URI.create(server.url() + "/init"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        request("r-" + i).toString()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString()))
                .toList();
    }

    private HttpResponse<String> post(String url, String body, Map<String, String> headers) {
        Map<String, String> all = new HashMap<>(Map.of("Content-Type", "application/json"));
        all.putAll(headers);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE);
        all.forEach(request::header);
        return http.sendAsync(
                        request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .join();
    }

    private JsonObject awaitEnd(String rollout) {
        await().atMost(PATIENCE).until(() -> gateway.codes(rollout).stream().anyMatch(code -> code != 101));
        List<JsonObject> logs = gateway.logs(rollout);
        return logs.get(logs.size() - 1);
    }

    /** What the model says once the gateway knows of so many starts of r-1: of a run that ends before, its end alone is told. */
    private JsonObject onceStarted(int times, String text) {
        await("starts of r-1: " + times)
                .atMost(PATIENCE)
                .until(() -> gateway.codes("r-1").stream()
                                .filter(code -> code == 101)
                                .count()
                        >= times);
        return GatewayDouble.said(text);
    }

    private static String message(JsonObject log) {
        return log.getAsJsonObject("status").get("message").getAsString();
    }

    private String journal() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder.resolve(".rlm"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".jsonl")).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    // ---- ends

    @Test
    void rollout_isChattedAndTold() throws Exception {
        gateway.model(request -> onceStarted(1, "#### 12"));
        Served server = serve("--reward", "brevity=1");
        assertThat(init(server, request("r-1")).statusCode()).isEqualTo(200);
        assertThat(gateway.codes("r-1")).as("told before it is answered").startsWith(101);
        JsonObject end = awaitEnd("r-1");

        assertThat(gateway.codes("r-1")).containsExactly(101, 100);
        assertThat(end.get("program").getAsString()).isEqualTo("eval_protocol");
        assertThat(end.getAsJsonArray("tags").toString())
                .contains("rollout_id:r-1", "invocation_id:in-1", "experiment_id:ex-1", "run_id:tr-1", "row_id:row-1");
        assertThat(end.getAsJsonObject("status").getAsJsonArray("details").toString())
                .contains("TERMINATION_REASON", "\"termination_reason\":\"stop\"");
        JsonObject extras = end.getAsJsonObject("extras");
        assertThat(extras.get("answer").getAsString()).isEqualTo("#### 12");
        assertThat(extras.get("reward").getAsDouble()).isFinite();
        assertThat(gateway.paths())
                .containsExactly("/rollout_id/r-1/invocation_id/in-1/experiment_id/ex-1/run_id/tr-1/row_id/row-1"
                        + "/chat/completions");
    }

    @Test
    void chat_isWhatTheTrainerSaid() throws Exception {
        Served server = serve();
        JsonObject request = request("r-1", "a row/with #? and ü");
        JsonObject params = request.getAsJsonObject("completion_params");
        params.addProperty("temperature", 0.25);
        params.addProperty("base_url", "http://localhost:1");
        params.add("stop", JsonNull.INSTANCE);
        params.add("extra_body", JsonParser.parseString("{\"top_k\":5}"));
        init(server, request);
        awaitEnd("r-1");

        assertThat(gateway.chats())
                .singleElement()
                .satisfies(chat -> assertThat(JsonParser.parseString(
                                "{\"model\":\"sums\",\"messages\":[{\"role\":\"user\",\"content\":\"What is 3*4?\"}],"
                                        + "\"temperature\":0.25,\"top_k\":5}"))
                        .isEqualTo(chat));
        assertThat(gateway.paths().get(0)).contains("/row_id/a%20row%2Fwith%20%23%3F%20and%20%C3%BC/chat");
    }

    @ParameterizedTest
    @CsvSource({"/init", "//init", "/some/where/init"})
    void init_isTakenBelowAnyBase(String path) throws Exception {
        Served server = serve();
        assertThat(post(server.url() + path, request("r-1").toString(), Map.of())
                        .statusCode())
                .isEqualTo(200);
        assertThat(GatewayDouble.code(awaitEnd("r-1"))).isEqualTo(100);
    }

    @Test
    void refusalOfTheModel_isAnErrorWithItsReason() throws Exception {
        JsonObject refusal = new JsonObject();
        refusal.addProperty("refused", 400);
        gateway.model(request -> refusal);
        Served server = serve();
        init(server, request("r-1"));
        JsonObject end = awaitEnd("r-1");
        assertThat(GatewayDouble.code(end)).isEqualTo(13);
        assertThat(message(end)).contains("the model is broken");
    }

    @Test
    void silentModel_isTimedOut() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        gateway.model(request -> silent(never));
        Served server = serve("--timeout", "500ms");
        init(server, request("r-1"));
        JsonObject end = awaitEnd("r-1");
        never.countDown();
        assertThat(GatewayDouble.code(end)).isEqualTo(4);
        assertThat(message(end)).contains("0.5 s");
    }

    @Test
    void slowStep_failsItsRollout_andTooManyFailuresEndTheServer() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        gateway.model(request -> silent(never));
        Served server = serve("--step-timeout", "500ms", "--max-failures", "1");
        init(server, request("r-1"));
        assertThat(server.rlm().awaitExit()).isEqualTo(1);
        never.countDown();
        JsonObject end = awaitEnd("r-1");
        assertThat(message(end)).contains("step 1 took longer than 0.5 s");
        assertThat(server.rlm().err()).contains("failed: run ", "rollouts: 0 completed, 1 failed, 0 aborted");
    }

    @Test
    void rolloutThatIsCancelled_endsAndFreesItsPlace() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        gateway.model(request -> asked.incrementAndGet() == 1 ? silent(never) : GatewayDouble.said("next"));
        Served server = serve("--parallel", "1");
        init(server, request("r-1"));
        CompletableFuture<HttpResponse<String>> held =
                CompletableFuture.supplyAsync(() -> init(server, request("r-2")));
        await().atMost(PATIENCE).until(() -> asked.get() == 1); // the silence is for r-1

        assertThat(cancel(server, "r-1").statusCode()).isEqualTo(200);

        assertThat(GatewayDouble.code(awaitEnd("r-1"))).isEqualTo(1);
        assertThat(held.get().statusCode()).isEqualTo(200);
        assertThat(GatewayDouble.code(awaitEnd("r-2"))).isEqualTo(100);
        assertThat(cancel(server, "r-1").statusCode()).isEqualTo(404);
        assertThat(cancel(server, "nobody").statusCode()).isEqualTo(404);
        assertThat(post(server.url() + "/cancel", "no JSON", Map.of()).statusCode())
                .isEqualTo(400);
        never.countDown();
    }

    private HttpResponse<String> cancel(Served server, String rollout) {
        return post(server.url() + "/cancel", "{\"rollout_id\":\"" + rollout + "\"}", Map.of());
    }

    private static JsonObject silent(CountDownLatch until) {
        try {
            var unused = until.await(120, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return GatewayDouble.said("#### 12");
    }

    @Test
    void callOfATool_thatNobodyHere_has_endsTheRollout() throws Exception {
        gateway.model(request -> JsonParser.parseString(
                        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
                                + "\"c1\",\"type\":\"function\",\"function\":{\"name\":\"submit\",\"arguments\":\"{\\\"x\\\":12}\"}}]}")
                .getAsJsonObject());
        Served server = serve();
        JsonObject request = request("r-1");
        request.add(
                "tools",
                JsonParser.parseString("[{\"type\":\"function\",\"function\":{\"name\":\"submit\",\"parameters\":"
                        + "{\"type\":\"object\"}}}]"));
        init(server, request);
        JsonObject end = awaitEnd("r-1");
        assertThat(GatewayDouble.code(end)).isEqualTo(100);
        assertThat(end.getAsJsonObject("extras").get("answer").getAsString()).isEqualTo("{\"x\":12}");
        assertThat(end.toString()).contains("\"termination_reason\":\"tool_calls\"");
        assertThat(gateway.chats().get(0).getAsJsonArray("tools")).hasSize(1);
    }

    @Test
    void otherEnvironment_takesItsSampleByRow_andGivesItsReward() throws Exception {
        Served server = serve("--env", "calc", "--samples", "3");
        JsonObject request = request("r-1", "2");
        request.add("messages", new JsonArray());
        assertThat(init(server, request).statusCode()).isEqualTo(200);
        JsonObject end = awaitEnd("r-1");
        assertThat(GatewayDouble.code(end)).isEqualTo(100);
        assertThat(end.getAsJsonObject("extras").get("reward").getAsDouble()).isBetween(0.0, 1.0);
        assertThat(gateway.chats().get(0).toString()).contains("calculator");

        HttpResponse<String> unknown = init(server, request("r-2", "7"));
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).contains("no sample '7'");
    }

    // ---- attempts, places, and ends of the process

    @Test
    void secondInit_isANewAttempt_andTheOldOneSaysNothingMore() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        gateway.model(request -> asked.incrementAndGet() == 1 ? silent(never) : onceStarted(2, "second"));
        Served server = serve();
        init(server, request("r-1"));
        await().atMost(PATIENCE).until(() -> asked.get() == 1);
        assertThat(init(server, request("r-1")).statusCode()).isEqualTo(200);
        assertThat(gateway.codes("r-1")).startsWith(101, 101);
        JsonObject end = awaitEnd("r-1");
        never.countDown();
        assertThat(server.rlm().stop()).isEqualTo(130);
        assertThat(gateway.codes("r-1")).containsExactly(101, 101, 100);
        assertThat(end.getAsJsonObject("extras").get("answer").getAsString()).isEqualTo("second");
        assertThat(journal()).contains("\"attempt\":2", "the job was stopped");
    }

    @Test
    void attemptAfterAFailure_takesItsStatusAway_beforeItIsAnswered() throws Exception {
        JsonObject refusal = new JsonObject();
        refusal.addProperty("refused", 400);
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch answered = new CountDownLatch(1);
        gateway.model(request -> {
            if (asked.incrementAndGet() > 1) {
                return silent(answered);
            }
            onceStarted(1, "");
            return refusal;
        });
        Served server = serve();
        init(server, request("r-1"));
        awaitEnd("r-1");
        init(server, request("r-1"));
        assertThat(gateway.codes("r-1")).containsExactly(101, 13, 101);
        answered.countDown();
        await().atMost(PATIENCE).until(() -> gateway.codes("r-1").contains(100));
    }

    @Tag("thorough")
    @Test
    void fullServer_holdsRequestsBack_untilThereIsAPlace() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        gateway.model(request -> silent(first));
        Served server = serve("--parallel", "1");
        init(server, request("r-0"));
        List<CompletableFuture<HttpResponse<String>>> others = initAll(server, 1, 100);
        assertThat(init(server, new JsonObject()).statusCode()).isEqualTo(400);
        assertThat(others).noneMatch(CompletableFuture::isDone);
        first.countDown();
        assertThat(others.stream().map(other -> other.join().statusCode()))
                .hasSize(99)
                .containsOnly(200);
        await().atMost(PATIENCE)
                .until(() -> IntStream.range(0, 100)
                        .allMatch(i -> gateway.codes("r-" + i).contains(100)));
    }

    @Tag("thorough")
    @Test
    void moreRequestsThanMayWait_areRefused_andThoseThatWaitAreServed() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        gateway.model(request -> silent(first));
        Served server = serve("--parallel", "1");
        init(server, request("r-0"));

        List<CompletableFuture<HttpResponse<String>>> others = initAll(server, 1, 1_200);
        await().atMost(PATIENCE)
                .until(() -> others.stream().filter(CompletableFuture::isDone).count() >= 100);
        assertThat(others.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join))
                .allSatisfy(refused -> {
                    assertThat(refused.statusCode()).isEqualTo(503);
                    assertThat(refused.body()).contains("1024 rollouts wait for a place already");
                });
        first.countDown();
        assertThat(others.stream().filter(other -> other.join().statusCode() == 200))
                .hasSizeGreaterThanOrEqualTo(1_024);
    }

    @Tag("thorough")
    @Test
    void sigterm_letsRolloutsEnd_andAbortsThoseThatDoNot() throws Exception {
        CountDownLatch soon = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        gateway.model(request -> silent(request.toString().contains("for ever") ? never : soon));
        Served server = serve("--drain-timeout", "3s");
        JsonObject endless = request("r-2");
        endless.getAsJsonArray("messages").get(0).getAsJsonObject().addProperty("content", "for ever");
        init(server, request("r-1"));
        init(server, endless);
        await().atMost(PATIENCE).until(() -> gateway.chats().size() == 2);
        server.rlm().tellToStop();
        server.rlm().await(() -> server.rlm().err().contains("waiting for 2 rollouts"));
        soon.countDown();
        assertThat(server.rlm().awaitExit()).isEqualTo(130);
        never.countDown();
        assertThat(gateway.codes("r-1")).containsExactly(101, 100);
        assertThat(gateway.codes("r-2")).containsExactly(101, 1);
        assertThat(server.rlm().err()).contains("1 completed, 0 failed, 1 aborted");
    }

    // ---- the gateway's whims

    @Test
    void attemptsOfARollout_areCountedOn_afterARestart() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        gateway.model(request -> onceStarted(asked.incrementAndGet(), "#### 12"));
        Served first = serve();
        init(first, request("r-1"));
        awaitEnd("r-1");
        assertThat(first.rlm().stop()).isEqualTo(130);
        int told = gateway.codes("r-1").size();

        Served second = serve();
        init(second, request("r-1"));
        second.rlm().await(() -> gateway.codes("r-1").size() >= told + 2);
        assertThat(second.rlm().stop()).isEqualTo(130);
        assertThat(journal()).contains("\"attempt\":1", "\"attempt\":2").doesNotContain("\"attempt\":3");
    }

    @Tag("thorough")
    @Test
    void status_isPostedUntilItIsTaken() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        gateway.model(request -> onceStarted(1, "#### 12"));
        gateway.takesLogs(log -> GatewayDouble.code(log) != 101 && refused.incrementAndGet() <= 3 ? 500 : 200);
        Served server = serve();
        init(server, request("r-1"));
        assertThat(GatewayDouble.code(awaitEnd("r-1"))).isEqualTo(100);
        assertThat(gateway.codes("r-1")).containsExactly(101, 100);
        assertThat(refused).hasValue(4);
    }

    @Test
    void status_isToldOnceTheJournalHasIt() throws Exception {
        List<String> early = new CopyOnWriteArrayList<>();
        gateway.takesLogs(log -> {
            String type = GatewayDouble.code(log) == 101 ? "run_started" : "run_ended";
            String run = log.getAsJsonObject("extras").get("rlm_run_id").getAsString();
            try {
                if (!journal().contains("\"type\":\"" + type + "\",\"run_id\":\"" + run + "\"")) {
                    early.add(type + " of " + run);
                }
            } catch (IOException e) {
                early.add(e.toString());
            }
            return 200;
        });
        Served server = serve("--concurrency", "4");
        initAll(server, 0, 40).forEach(CompletableFuture::join);
        for (int i = 0; i < 40; i++) {
            awaitEnd("r-" + i);
        }
        assertThat(early).isEmpty();
    }

    @Test
    void gatewayThatTakesNoStatus_hasNoRollout() throws Exception {
        gateway.takesLogs(log -> 500); // though its runs end at once
        Served server = serve();
        assertThat(init(server, request("r-1")).statusCode()).isEqualTo(503);
    }

    @Test
    void logs_areTakenBelowV1Too() throws Exception {
        gateway.logsAt("/v1/logs");
        Served server = serve();
        init(server, request("r-1"));
        assertThat(GatewayDouble.code(awaitEnd("r-1"))).isEqualTo(100);
    }

    // ---- who may ask for what

    @Test
    void keyOfTheTrainer_signsIn_andIsRecordedNowhere() throws Exception {
        gateway.model(request -> GatewayDouble.said("your key is " + KEY));
        Served server = serve();
        JsonObject request = request("r-1");
        request.addProperty("api_key", KEY);
        init(server, request);
        JsonObject end = awaitEnd("r-1");
        server.rlm().stop();
        assertThat(gateway.keys()).containsOnly("Bearer " + KEY);
        assertThat(journal() + server.rlm().err() + end).contains("r-1").doesNotContain(KEY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://example.com/rollout_id/r-1/row_id/1",
                "http://localhost.example.com/rollout_id/r-1/row_id/1",
                "http://user@localhost/rollout_id/r-1/row_id/1",
                "file:///rollout_id/r-1/row_id/1",
                "http://localhost/a/../b/rollout_id/r-1/row_id/1",
                "https://a.example.com/x/%2e%2e/rollout_id/r-1/row_id/1",
                "https://a.example.com/x/.%2E/rollout_id/r-1/row_id/1",
                "no address",
                "http://localhost:1/v1"
            })
    void addressThatIsNotAllowed_isRefused(String address) throws Exception {
        Served server = serve("--allow-model-url", "https://*.example.com/x");
        JsonObject request = request("r-1");
        request.addProperty("model_base_url", address);
        HttpResponse<String> answer = init(server, request);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("model_base_url");
    }

    @Test
    void requestsThatMakeNoSense_areRefused_withTheReason() throws Exception {
        Served server = serve();
        Map<String, String> reasons = Map.of(
                "no JSON", "no JSON object",
                "{}", "metadata.",
                "{\"metadata\": {\"rollout_id\": \"r\"}}", "metadata.");
        reasons.forEach((body, reason) -> {
            HttpResponse<String> answer = post(server.url() + "/init", body, Map.of());
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("\"error\"", reason);
        });
        refused(server, 400, "completion_params.model", request -> request.add("completion_params", new JsonObject()));
        refused(server, 400, "messages", request -> request.addProperty("messages", "hello"));
        refused(
                server,
                400,
                "an id in metadata",
                request -> request.getAsJsonObject("metadata").addProperty("row_id", ".."));
        refused(server, 400, "messages is empty", request -> request.add("messages", new JsonArray()));
        refused(server, 413, "16 MiB", request -> request.addProperty("x", "x".repeat(17 << 20)));
        assertThat(post(server.url() + "/init", "{}", Map.of("Content-Type", "text/plain"))
                        .statusCode())
                .isEqualTo(415);
        assertThat(post(server.url() + "/else", "{}", Map.of()).statusCode()).isEqualTo(404);
        assertThat(http.send(
                                HttpRequest.newBuilder(URI.create(server.url() + "/init"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(405);
    }

    private void refused(Served server, int status, String reason, Consumer<JsonObject> change) {
        JsonObject request = request("r-1");
        change.accept(request);
        HttpResponse<String> answer = init(server, request);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).contains(reason);
    }

    @Test
    void hostThatIsOpenToOthers_needsAToken_whichIsAskedFor() throws Exception {
        Cli without = Cli.with(Map.of(), "serve", "--env", "chat", "--port", "0", "--host", "0.0.0.0");
        assertThat(without.exitCode()).isEqualTo(2);
        assertThat(without.err()).contains("RLM_SERVE_TOKEN must be set");

        String token = "0123456789abcdef";
        Served server = serve(Map.of("RLM_SERVE_TOKEN", token), "--host", "0.0.0.0");
        String url = server.url().replace("0.0.0.0", "127.0.0.1") + "/init";
        String body = request("r-1").toString();
        assertThat(post(url, body, Map.of()).statusCode()).isEqualTo(401);
        assertThat(post(url, body, Map.of("Authorization", "Bearer " + token + "x"))
                        .statusCode())
                .isEqualTo(401);
        assertThat(post(url, body, Map.of("Authorization", "Bearer " + token)).statusCode())
                .isEqualTo(200);
        JsonObject keyed = request("r-2");
        keyed.addProperty("api_key", token);
        assertThat(post(url, keyed.toString(), Map.of()).statusCode()).isEqualTo(200);
    }
}
