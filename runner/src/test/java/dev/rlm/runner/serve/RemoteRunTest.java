package dev.rlm.runner.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code rlm run --remote} as the trainer of rollout servers. */
@Timeout(180)
class RemoteRunTest {
    /** Rollout server: what it answers to an {@code /init}, of which so many came before. */
    private interface Script {
        int answer(int before, JsonObject init) throws Exception;
    }

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private static final int ANSWER_THAT_STOPS = 299; // after its headers

    private final CountDownLatch gone = new CountDownLatch(1);
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<JsonObject> inits = new CopyOnWriteArrayList<>();
    private final List<JsonObject> cancelled = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // set before each test
    private GatewayDouble gateway;

    @SuppressWarnings("NullAway.Init") // set before each test
    private HttpServer server;

    private Script script = (before, init) -> 404;

    @BeforeEach
    void start() throws IOException {
        gateway = new GatewayDouble(0);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", this::serve);
        server.start();
        Files.writeString(
                folder.resolve("data.jsonl"),
                "{\"question\": \"What is 3*4?\", \"answer\": \"It is <<3*4=12>>12.\\n#### 12\"}\n");
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        gone.countDown();
        server.stop(0);
        gateway.close();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            int status = 404;
            if (exchange.getRequestURI().getPath().equals("/init")) {
                JsonObject init = JsonParser.parseString(body).getAsJsonObject();
                inits.add(init);
                status = script.answer(inits.size() - 1, init);
            }
            if (exchange.getRequestURI().getPath().equals("/cancel")) {
                cancelled.add(JsonParser.parseString(body).getAsJsonObject());
            }
            byte[] answer = ("answered " + status).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, answer.length);
            if (status == ANSWER_THAT_STOPS) {
                gone.await();
            }
            exchange.getResponseBody().write(answer);
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private void post(String url, JsonObject body) throws Exception {
        http.send(
                HttpRequest.newBuilder(URI.create(url))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
    }

    private void chat(JsonObject init) throws Exception {
        JsonObject request = new JsonObject();
        request.addProperty("model", "sums");
        request.add("messages", init.get("messages"));
        post(init.get("model_base_url").getAsString() + "/chat/completions", request);
    }

    private void status(JsonObject init, int code, String message, @Nullable String extras) throws Exception {
        JsonObject log = new JsonObject();
        JsonObject status = new JsonObject();
        status.addProperty("code", code);
        status.addProperty("message", message);
        status.add("details", JsonParser.parseString("[{\"metadata\":{\"termination_reason\":\"max_steps\"}}]"));
        log.add("status", status);
        log.addProperty("message", "finished");
        JsonArray tags = new JsonArray();
        tags.add("rollout_id:" + rollout(init));
        log.add("tags", tags);
        log.add("extras", JsonParser.parseString(extras == null ? "null" : extras));
        post(gateway.url() + "/logs", log);
    }

    private static String rollout(JsonObject init) {
        return init.getAsJsonObject("metadata").get("rollout_id").getAsString();
    }

    private RunningCli run(Map<String, String> variables, String serverUrl, String gatewayUrl, String... more)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "run",
                "--remote",
                serverUrl,
                "--gateway",
                gatewayUrl,
                "--model",
                "sums",
                "--dataset",
                folder.resolve("data.jsonl").toString()));
        arguments.addAll(List.of(more));
        RunningCli rlm = RunningCli.start(folder, variables, arguments.toArray(String[]::new));
        opened.add(rlm);
        return rlm;
    }

    private RunningCli run(String... more) throws Exception {
        return run(Map.of(), "http://127.0.0.1:" + server.getAddress().getPort() + "/", gateway.url(), more);
    }

    private static void assertSucceeds(RunningCli rlm) throws Exception {
        assertThat(rlm.awaitExit()).as(rlm.err()).isZero();
    }

    private void assertFails(RunningCli rlm, String message) throws Exception {
        assertThat(rlm.awaitExit()).isEqualTo(1);
        RunEnded end = end();
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.status().message()).contains(message);
        assertThat(events(RewardGiven.class)).isEmpty();
    }

    private List<RunSummary> runs() {
        return Journal.open(folder.resolve(".rlm")).runs();
    }

    private RunEnded end() {
        assertThat(runs()).hasSize(1);
        return Objects.requireNonNull(runs().get(0).end());
    }

    private <T extends RunEvent> List<T> events(Class<T> type) {
        Journal journal = Journal.open(folder.resolve(".rlm"));
        return runs().stream()
                .flatMap(run -> journal.events(run.runId()).stream())
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    @Test
    void whatTheServerTellsOfTheEnd_isKept() throws Exception {
        script = (before, init) -> {
            chat(init);
            status(init, 100, "done", "{\"reward\": 0.25, \"note\": \"n\"}");
            return 200;
        };
        assertSucceeds(run());

        assertThat(end().metrics()).containsEntry("remote_reward", 0.25);
        assertThat(events(StepEnded.class))
                .singleElement()
                .satisfies(step -> assertThat(step.tags())
                        .containsEntry("rollout_id", rollout(inits.get(0)))
                        .containsEntry("termination_reason", "max_steps")
                        .containsEntry("status", "100"));
        JsonObject metadata = inits.get(0).getAsJsonObject("metadata");
        assertThat(metadata.keySet())
                .containsExactlyInAnyOrder("rollout_id", "invocation_id", "experiment_id", "run_id", "row_id");
        assertThat(inits.get(0).get("tools").isJsonNull()).isTrue();
    }

    @Tag("thorough")
    @Test
    void rolloutThatMayGoBetter_isBegunAgain() throws Exception {
        script = (before, init) -> {
            if (before == 2) {
                chat(init);
            }
            status(init, before == 2 ? 100 : 14, "not now", null);
            return 200;
        };
        assertSucceeds(run());

        assertThat(end().solved()).isTrue();
        assertThat(inits).hasSize(3).extracting(RemoteRunTest::rollout).containsOnly(rollout(inits.get(0)));
    }

    @Test
    void rolloutThatFailsForGood_failsItsRun() throws Exception {
        script = (before, init) -> {
            status(init, 13, "the tool broke", null);
            return 200;
        };
        assertFails(run(), "the rollout failed with status 13: the tool broke");
        assertThat(inits).hasSize(1);
    }

    @Test
    void serverThatIsAtFault_isAskedAgain() throws Exception {
        script = (before, init) -> {
            if (before == 0) {
                return 503;
            }
            chat(init);
            status(init, 0, "", null);
            return 204;
        };
        assertSucceeds(run());

        assertThat(end().solved()).isTrue();
        assertThat(inits).hasSize(2);
    }

    @Test
    void serverThatRefuses_isNotAskedAgain() throws Exception {
        script = (before, init) -> 429;
        assertFails(run(), "/init was refused: HTTP 429: answered 429");
        assertThat(inits).hasSize(1);
    }

    @Test
    void rolloutWithoutAConversation_isNotScored() throws Exception {
        script = (before, init) -> {
            status(init, 100, "", null);
            return 200;
        };
        assertFails(run(), "the gateway has no conversation of it");
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"999, 999 is no status code", "101, it has not ended within 2 s"})
    void rolloutWithoutAnEnd_failsItsRun(int code, String message) throws Exception {
        script = (before, init) -> {
            status(init, code, "", null);
            return 200;
        };
        assertFails(run("--remote-timeout", "2s"), message);
        assertThat(cancelled).hasSize(code == 101 ? 1 : 0);
    }

    @Test
    void key_goesToServerAndGatewayAndIsNotRecorded() throws Exception {
        String key = "k-" + "nobody-is-to-see-this-4711";
        script = (before, init) -> {
            status(init, 13, "refused: " + init.get("api_key").getAsString(), null);
            return 200;
        };
        RunningCli rlm = run(
                Map.of("RLM_REMOTE_API_KEY", key),
                "http://127.0.0.1:" + server.getAddress().getPort(),
                gateway.url());
        assertFails(rlm, "refused: [REDACTED");

        assertThat(inits.get(0).get("api_key").getAsString()).isEqualTo(key);
        assertThat(rlm.err() + rlm.out()).doesNotContain(key);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, ANSWER_THAT_STOPS})
    void interrupt_abortsTheRun(int answer) throws Exception {
        script = (before, init) -> answer;
        RunningCli rlm = run();
        rlm.await(() -> !inits.isEmpty());

        assertThat(rlm.stop()).isEqualTo(130);
        assertThat(end().outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(cancelled)
                .extracting(request -> request.get("rollout_id").getAsString())
                .containsExactly(rollout(inits.get(0)));
    }
}
