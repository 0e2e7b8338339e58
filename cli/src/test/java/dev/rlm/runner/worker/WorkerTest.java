package dev.rlm.runner.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.otel.backend.FreePort;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code rlm worker} at the queue of agentlightning's own server, in the Python that {@code RLM_NEIGHBOURS_PYTHON} names, or of a double of it
 * where there is none.
 */
@Tag("thorough")
class WorkerTest {
    private static final int KILLS = Integer.getInteger("rlm.test.kills", 8);
    private static final long SEED = Long.getLong("rlm.test.seed", 34);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern PRODUCT = Pattern.compile("What is (\\d+)\\*(\\d+)");
    private static final List<String> SAMPLES =
            List.of("What is 3*4?", "wrong: What is 5*6?", "hang: What is 7*8?", "What is 2*9?", "slow: What is 2*3?");

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test, as is the next
    private String queue;

    @SuppressWarnings("NullAway.Init")
    private HttpServer model;

    @BeforeEach
    void start() throws Exception {
        model = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
        model.setExecutor(Executors.newCachedThreadPool());
        model.createContext("/", this::multiply);
        model.start();
        queue = queue();
        registerModel();
        StringBuilder lines = new StringBuilder();
        for (String question : SAMPLES) {
            Matcher sum = PRODUCT.matcher(question);
            assertThat(sum.find()).isTrue();
            lines.append("{\"question\":\"" + question + "\",\"answer\":\"#### " + product(sum) + "\"}\n");
        }
        Files.writeString(folder.resolve("sums.jsonl"), lines);
    }

    @AfterEach
    void stop() throws Exception {
        goOn.countDown();
        for (AutoCloseable each : opened) {
            each.close();
        }
        model.stop(0);
    }

    private void registerModel() throws Exception {
        post(
                "/api/models",
                "[{\"model\":\"sums\",\"endpoint\":\"http://127.0.0.1:"
                        + model.getAddress().getPort() + "/v1\"}]");
    }

    private String queue() throws Exception {
        String python = System.getenv("RLM_NEIGHBOURS_PYTHON");
        if (python == null) {
            QueueDouble made = new QueueDouble(0);
            opened.add(made);
            return made.url();
        }
        int port = FreePort.find();
        Process server = new ProcessBuilder(
                        python,
                        "-m",
                        "agentlightning.server",
                        "host=127.0.0.1",
                        "port=" + port,
                        "key=k",
                        "default_proxy.model_name=sums",
                        "hydra.run.dir=" + folder.resolve("hydra"))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("server").toFile())
                .start();
        opened.add(() -> server.destroyForcibly().waitFor());
        String url = "http://127.0.0.1:" + port;
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> get(url + "/healthz").statusCode() == 200);
        return url;
    }

    // ---- parties

    private void multiply(HttpExchange exchange) throws IOException {
        String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        calls.incrementAndGet();
        Matcher sum = PRODUCT.matcher(request);
        assertThat(sum.find()).isTrue();
        if (request.contains("hang:") || request.contains("slow:")) {
            try {
                var unused = goOn.await(request.contains("slow:") ? 200 : PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        byte[] reply =
                ("{\"id\":\"c\",\"model\":\"sums\",\"prompt_token_ids\":[1],\"choices\":[{\"index\":0,\"message\":"
                                + "{\"role\":\"assistant\",\"content\":\"#### "
                                + (request.contains("wrong:") ? "-1" : product(sum))
                                + "\"},\"token_ids\":[2],\"finish_reason\":\"stop\"}]}")
                        .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, reply.length);
        exchange.getResponseBody().write(reply);
        exchange.close();
    }

    private static int product(Matcher sum) {
        return Integer.parseInt(sum.group(1)) * Integer.parseInt(sum.group(2));
    }

    private RlmProcess worker(String name, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("worker", "--agent-lightning", queue, "--poll", "100ms"));
        arguments.addAll(List.of(
                "--env", "calc", "--dataset", folder.resolve("sums.jsonl").toString()));
        arguments.addAll(List.of(more));
        Path home = folder.resolve(name);
        Files.createDirectories(home);
        RlmProcess rlm = RlmProcess.start(
                home, Map.of("AGL_KEY", "k", "RLM_JSONL_ENABLED", "true"), arguments.toArray(String[]::new));
        opened.add(rlm);
        return rlm;
    }

    private RlmProcess claiming(String name, String... more) throws IOException {
        RlmProcess rlm = worker(name, more);
        rlm.await(() -> rlm.err().contains("claiming rollouts"));
        return rlm;
    }

    private List<RunSummary> runs(String name) {
        return Journal.open(folder.resolve(name).resolve(".rlm")).runs();
    }

    private HttpResponse<String> get(String url) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(url)).GET());
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        HttpResponse<String> response = send(HttpRequest.newBuilder(URI.create(queue + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
        return response;
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(
                request.header("Authorization", "Bearer k").timeout(PATIENCE).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private void enqueue(String rollout, String input) throws Exception {
        enqueue(rollout, input, 3_600);
    }

    private void enqueue(String rollout, String input, int seconds) throws Exception {
        post(
                "/api/rollouts",
                "[{\"rollout_id\":\"" + rollout + "\",\"input\":" + input
                        + ",\"is_train\":true,\"config\":{\"timeout_seconds\":" + seconds
                        + "},\"metadata\":{\"batch_idx\":7}}]");
    }

    private JsonObject status(String rollout) throws Exception {
        return JsonParser.parseString(get(queue + "/api/rollouts/" + rollout).body())
                .getAsJsonObject()
                .getAsJsonObject("rollout")
                .getAsJsonObject("status");
    }

    private String state(String rollout) throws Exception {
        return status(rollout).get("state").getAsString();
    }

    private void awaitState(String rollout, String state) throws Exception {
        await().atMost(PATIENCE)
                .until(() -> List.of(state, "succeeded", "failed").contains(state(rollout)));
        assertThat(state(rollout)).as("%s", status(rollout)).isEqualTo(state);
    }

    private String message(String rollout) throws Exception {
        return status(rollout).get("error_message").getAsString();
    }

    /** The last reward of the attempt that counts, as a trainer takes it. */
    private @Nullable Double reward(String rollout) throws Exception {
        JsonArray events = JsonParser.parseString(
                        get(queue + "/api/rollouts/" + rollout + "/events").body())
                .getAsJsonArray();
        Double last = null;
        for (JsonElement each : events) {
            JsonObject event = each.getAsJsonObject();
            if (event.get("event_type").getAsString().equals("reward")) {
                last = event.getAsJsonObject("data").get("value").getAsDouble();
            }
        }
        return last;
    }

    // ---- rollouts

    @Test
    void rollouts_areClaimedAndRun_andTheirRewardsTold() throws Exception {
        RlmProcess worker = claiming("w");
        enqueue("r-1", "{\"data_id\":0}");
        enqueue("r-2", "{\"question\":\"wrong: What is 5*6?\"}");
        enqueue("r-3", "\"What is 2*9?\"");
        enqueue("r-4", "{\"data_id\":\"none\"}");
        awaitState("r-1", "succeeded");
        awaitState("r-2", "succeeded");
        awaitState("r-3", "succeeded");
        awaitState("r-4", "failed");

        assertThat(reward("r-1")).isEqualTo(1.0);
        assertThat(reward("r-2")).isEqualTo(0.0);
        assertThat(message("r-4")).startsWith("it cannot be run: --env calc has no sample 'none'");
        worker.signal("TERM");
        assertThat(worker.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(worker.process().exitValue()).isEqualTo(143);
        assertThat(worker.err()).contains("rollouts: 3 completed, 0 failed, 0 aborted");

        RunSummary first = run("w", "r-1");
        assertThat(first.totalReward()).isEqualTo(1.0);
        assertThat(first.run().params())
                .containsEntry("agent_lightning", queue)
                .containsEntry("batch_idx", 7)
                .containsEntry(
                        "agent_lightning_attempt",
                        status("r-1").get("last_attempt_id").getAsString());
        assertThat(first.run().correlation().split()).isEqualTo("train");
        assertThat(first.run().correlation().row()).isEqualTo("0");
    }

    private RunSummary run(String name, String rollout) {
        return runs(name).stream()
                .filter(run -> rollout.equals(run.run().correlation().rollout()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void workers_shareAQueue() throws Exception {
        for (String name : List.of("one", "two")) {
            claiming(name, "--concurrency", "2");
        }
        List<String> all = IntStream.range(0, 40).mapToObj(i -> "r-" + i).toList();
        for (String rollout : all) {
            enqueue(rollout, "{\"data_id\":0}");
        }
        for (String rollout : all) {
            awaitState(rollout, "succeeded");
        }
        Map<String, Integer> times = new HashMap<>();
        for (String name : List.of("one", "two")) {
            runs(name)
                    .forEach(run -> times.merge(
                            Objects.requireNonNull(run.run().correlation().rollout()), 1, Integer::sum));
        }
        assertThat(times)
                .containsOnlyKeys(all)
                .allSatisfy((rollout, count) -> assertThat(count).isEqualTo(1));
    }

    @Test
    void inputThatIsNone_failsItsRolloutAlone() throws Exception {
        claiming("w");
        enqueue("r-1", "{\"messages\":[\"hi\"]}");
        post(
                "/api/rollouts",
                "[{\"rollout_id\":\"r-2\",\"input\":{\"data_id\":0},\"config\":{\"timeout_seconds\":9223372036854775807}}]");
        enqueue("r-3", "{\"data_id\":3}");
        awaitState("r-1", "failed");
        assertThat(message("r-1")).startsWith("it cannot be run: messages is not valid");
        awaitState("r-2", "succeeded");
        awaitState("r-3", "succeeded");
    }

    @Test
    void workersOfOneJournal_leaveEachOtherAlone() throws Exception {
        String journal = folder.resolve("shared").toString();
        for (String rollout : List.of("r-1", "r-2")) {
            claiming(rollout, "--journal", journal, "--concurrency", "1");
            enqueue(rollout, "{\"data_id\":2}");
            awaitState(rollout, "running");
        }
        claiming("third", "--journal", journal, "--concurrency", "1");
        enqueue("r-3", "{\"data_id\":0}");
        awaitState("r-3", "succeeded");
        assertThat(List.of(state("r-1"), state("r-2"))).containsOnly("running");
        goOn.countDown();
        for (String rollout : List.of("r-1", "r-2")) {
            awaitState(rollout, "succeeded");
            assertThat(reward(rollout)).isEqualTo(1.0);
        }
    }

    @Test
    void pausedProxy_isAskedAgainUntilItGoesOn() throws Exception {
        claiming("w", "--model-retries", "0", "--model-timeout", "10s");
        post("/proxy/pause", "{\"retry_after_seconds\":1}");
        enqueue("r-1", "{\"data_id\":0}");
        awaitState("r-1", "running");
        Thread.sleep(11_000); // longer than a call may take
        assertThat(state("r-1")).isEqualTo("running");
        assertThat(calls).hasValue(0);
        post("/proxy/resume", "{}");
        awaitState("r-1", "succeeded");
        assertThat(reward("r-1")).isEqualTo(1.0);
    }

    @Test
    void rolloutThatTakesTooLong_hasFailed() throws Exception {
        claiming("w");
        enqueue("r-1", "{\"data_id\":2}", 1);
        awaitState("r-1", "failed");
        assertThat(message("r-1")).contains("took longer than 1.0 s");
        assertThat(reward("r-1")).isNull();
    }

    // ---- ends of the process

    @Test
    void stoppedWorker_failsWhatItHolds() throws Exception {
        RlmProcess worker = claiming("w", "--drain-timeout", "2s");
        enqueue("r-1", "{\"data_id\":2}");
        awaitState("r-1", "running");
        await().atMost(PATIENCE).until(() -> calls.get() == 1);
        worker.signal("TERM");
        worker.await(() -> worker.err().contains("waiting for 1 rollout to end"));
        enqueue("r-2", "{\"data_id\":0}");
        assertThat(worker.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(state("r-1")).isEqualTo("failed");
        assertThat(message("r-1")).isEqualTo("the job was stopped");
        assertThat(worker.err()).contains("0 completed, 0 failed, 1 aborted");
        assertThat(state("r-2")).isEqualTo("queuing");
    }

    @Test
    void killedWorker_leavesNothingRunning() throws Exception {
        RlmProcess worker = claiming("w");
        enqueue("r-1", "{\"data_id\":2}");
        await().atMost(PATIENCE).ignoreExceptions().until(() -> runs("w").size() == 1);
        worker.process().destroyForcibly().waitFor();
        claiming("other");
        enqueue("r-2", "{\"data_id\":2}");
        awaitState("r-2", "running");

        RlmProcess next = claiming("w");
        assertThat(state("r-1")).isEqualTo("failed");
        assertThat(message("r-1")).isEqualTo("the worker's process died");
        assertThat(next.err()).contains("rollout r-1, which an earlier process had claimed: failed");
        assertThat(state("r-2")).isEqualTo("running"); // by the other
        await().atMost(PATIENCE).until(() -> runs("w").get(0).end() != null);
        assertThat(Objects.requireNonNull(runs("w").get(0).end()).outcome()).isEqualTo(Outcome.ABANDONED);
    }

    @Test
    void endThatTheServerDidNotTake_isToldByTheNextWorker() throws Exception {
        QueueDouble busy = new QueueDouble(0);
        opened.add(busy);
        queue = busy.url();
        registerModel();
        busy.takesEnds(false);
        RlmProcess worker = claiming("w");
        enqueue("r-1", "{\"data_id\":0}");
        await().atMost(PATIENCE).ignoreExceptions().until(() -> runs("w").get(0).end() != null);
        worker.process().destroyForcibly().waitFor();
        assertThat(state("r-1")).isEqualTo("running");
        busy.takesEnds(true);
        claiming("w");
        assertThat(state("r-1")).isEqualTo("succeeded");
        assertThat(reward("r-1")).isEqualTo(1.0);
    }

    @Test
    void workersThatAreKilledAtAnyMoment_leaveNoRollout_andTellWhatTheJournalsHave() throws Exception {
        Random random = new Random(SEED);
        List<String> names = List.of("one", "two");
        Map<String, RlmProcess> workers = new HashMap<>();
        for (String name : names) {
            workers.put(name, claiming(name, "--concurrency", "4"));
        }
        List<String> all = new ArrayList<>();
        for (int kill = 0; kill < KILLS; kill++) {
            for (int i = 0; i < 20; i++) {
                all.add("r-" + all.size());
                enqueue(all.get(all.size() - 1), "{\"data_id\":4}");
            }
            Thread.sleep(random.nextInt(1_500));
            String victim = names.get(random.nextInt(names.size()));
            Objects.requireNonNull(workers.get(victim))
                    .process()
                    .destroyForcibly()
                    .waitFor();
            workers.put(victim, claiming(victim, "--concurrency", "4"));
        }
        Map<String, Long> states = new TreeMap<>();
        for (String rollout : all) {
            await().atMost(PATIENCE).until(() -> List.of("succeeded", "failed").contains(state(rollout)));
            states.merge(state(rollout), 1L, Long::sum);
        }
        for (RlmProcess worker : workers.values()) {
            worker.signal("TERM");
            assertThat(worker.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
        System.out.println("seed " + SEED + ", " + KILLS + " kills: " + states);

        Map<String, RunSummary> runs = new HashMap<>();
        for (String name : names) {
            runs(name)
                    .forEach(run -> assertThat(runs.put(
                                    Objects.requireNonNull(
                                            run.run().correlation().rollout()),
                                    run))
                            .as("%s", run)
                            .isNull());
        }
        for (String rollout : all) {
            RunSummary run = runs.get(rollout);
            boolean completed = run != null && run.state() == RunState.COMPLETED;
            assertThat(state(rollout)).as(rollout).isEqualTo(completed ? "succeeded" : "failed");
            assertThat(reward(rollout)).as(rollout).isEqualTo(completed ? 1.0 : null);
            if (!completed) {
                assertThat(message(rollout)).isEqualTo("the worker's process died");
            }
        }
        assertThat(states).containsKey("succeeded");
    }

    // ---- bad input

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ftp://x | --agent-lightning is not valid",
                "http://user:secret@localhost | --agent-lightning is not valid",
                "http://127.0.0.1:1 | --agent-lightning http://127.0.0.1:1 cannot be used"
            })
    void wrongAddress_isToldAtOnce(String address, String said) throws Exception {
        queue = address;
        RlmProcess worker = worker("w");
        assertThat(worker.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(worker.process().exitValue()).isEqualTo(2);
        assertThat(worker.err()).contains(said).doesNotContain("secret@");
    }

    @Test
    void wrongKey_isToldAtOnce() throws Exception {
        RlmProcess worker = RlmProcess.start(
                folder, Map.of("AGL_KEY", "wrong-secret"), "worker", "--agent-lightning", queue, "--env", "chat");
        opened.add(worker);
        assertThat(worker.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(worker.process().exitValue()).isEqualTo(2);
        assertThat(worker.err()).contains("it does not know the key of AGL_KEY").doesNotContain("wrong-secret");
    }
}
