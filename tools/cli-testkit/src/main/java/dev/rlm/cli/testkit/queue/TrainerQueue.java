package dev.rlm.cli.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rlm.sinks.testkit.FreePort;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A trainer's queue of rollouts, with a model behind it that multiplies: that of agentlightning's own server, in the Python that
 * {@code RLM_NEIGHBOURS_PYTHON} names, or a double of it where there is none. Its samples are, by their numbers, one that is solved, one that is
 * not, one that is answered after {@link #goOn()}, another that is solved, and one that is solved slowly.
 */
public final class TrainerQueue implements AutoCloseable {
    /** Variables of a worker that may use it. */
    public static final Map<String, String> VARIABLES = Map.of("AGL_KEY", "k", "RLM_JSONL_ENABLED", "true");

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern PRODUCT = Pattern.compile("What is (\\d+)\\*(\\d+)");
    private static final List<String> SAMPLES =
            List.of("What is 3*4?", "wrong: What is 5*6?", "hang: What is 7*8?", "What is 2*9?", "slow: What is 2*3?");

    private final HttpClient http = HttpClient.newHttpClient();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Path folder;
    private final HttpServer model;
    private final @Nullable QueueDouble made;
    private final String url;

    private TrainerQueue(Path folder, @Nullable String python) throws Exception {
        this.folder = folder;
        model = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
        model.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "queue-model");
            thread.setDaemon(true);
            return thread;
        }));
        model.createContext("/", this::multiply);
        model.start();
        made = python == null ? new QueueDouble(0) : null;
        url = made == null ? startServer(String.valueOf(python)) : made.url();
        post(
                "/api/models",
                "[{\"model\":\"sums\",\"endpoint\":\"http://127.0.0.1:"
                        + model.getAddress().getPort() + "/v1\"}]");
        StringBuilder lines = new StringBuilder();
        for (String question : SAMPLES) {
            lines.append("{\"question\":\"" + question + "\",\"answer\":\"#### " + product(question) + "\"}\n");
        }
        Files.writeString(folder.resolve("sums.jsonl"), lines);
    }

    /** Starts one whose files are in a folder of the test. */
    public static TrainerQueue start(Path folder) throws Exception {
        return new TrainerQueue(folder, System.getenv("RLM_NEIGHBOURS_PYTHON"));
    }

    /** Starts a double, wherever the tests run. */
    public static TrainerQueue startDouble(Path folder) throws Exception {
        return new TrainerQueue(folder, null);
    }

    private String startServer(String python) throws IOException {
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
        String address = "http://127.0.0.1:" + port;
        try {
            await("the server is healthy, or has ended")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> !server.isAlive() || get(address + "/healthz").statusCode() == 200);
        } catch (ConditionTimeoutException e) {
            server.destroyForcibly();
            throw e;
        }
        assertThat(server.isAlive())
                .as(Files.readString(folder.resolve("server")))
                .isTrue();
        return address;
    }

    private void multiply(HttpExchange exchange) throws IOException {
        String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        calls.incrementAndGet();
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
                                + (request.contains("wrong:") ? -1 : product(request))
                                + "\"},\"token_ids\":[2],\"finish_reason\":\"stop\"}]}")
                        .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, reply.length);
        exchange.getResponseBody().write(reply);
        exchange.close();
    }

    private static int product(String question) {
        Matcher sum = PRODUCT.matcher(question);
        assertThat(sum.find()).as(question).isTrue();
        return Integer.parseInt(sum.group(1)) * Integer.parseInt(sum.group(2));
    }

    /** Returns the arguments of a worker of it, which looks into it often. */
    public String[] worker(String... more) {
        List<String> arguments = new ArrayList<>(List.of("worker", "--agent-lightning", url, "--poll", "100ms"));
        arguments.addAll(List.of(
                "--env", "calc", "--dataset", folder.resolve("sums.jsonl").toString()));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    public String url() {
        return url;
    }

    /** Returns how often the model was asked. */
    public int calls() {
        return calls.get();
    }

    /** Has the model answer what it holds. */
    public void goOn() {
        goOn.countDown();
    }

    /** Says whether a double takes ends, or is too busy. */
    public void takesEnds(boolean takes) {
        if (made == null) {
            throw new IllegalStateException("it is no double");
        }
        made.takesEnds(takes);
    }

    private HttpResponse<String> get(String address) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(address)).GET());
    }

    /** Sends it a request of the trainer's, which it has to take. */
    public void post(String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> response = send(HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(
                request.header("Authorization", "Bearer k").timeout(PATIENCE).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Adds a rollout, which may take an hour. */
    public void enqueue(String rollout, String input) throws IOException, InterruptedException {
        enqueue(rollout, input, 3_600);
    }

    /** Adds a rollout with its input in JSON. */
    public void enqueue(String rollout, String input, int seconds) throws IOException, InterruptedException {
        post(
                "/api/rollouts",
                "[{\"rollout_id\":\"" + rollout + "\",\"input\":" + input
                        + ",\"is_train\":true,\"config\":{\"timeout_seconds\":" + seconds
                        + "},\"metadata\":{\"batch_idx\":7}}]");
    }

    private JsonNode status(String rollout) throws IOException, InterruptedException {
        return new JsonMapper()
                .readTree(get(url + "/api/rollouts/" + rollout).body())
                .path("rollout")
                .path("status");
    }

    /** Returns the state of a rollout, by its name there. */
    public String state(String rollout) throws IOException, InterruptedException {
        return status(rollout).path("state").asString();
    }

    /** Returns whether a rollout has ended. */
    public boolean isOver(String rollout) throws IOException, InterruptedException {
        return List.of("succeeded", "failed").contains(state(rollout));
    }

    /** Waits until a rollout has a state, which it must have before it ends in another. */
    public void awaitState(String rollout, String state) throws IOException, InterruptedException {
        await(rollout + " is " + state).atMost(PATIENCE).until(() -> state.equals(state(rollout)) || isOver(rollout));
        assertThat(state(rollout)).as("%s", status(rollout)).isEqualTo(state);
    }

    /** Returns the id of the attempt that counts. */
    public String attempt(String rollout) throws IOException, InterruptedException {
        return status(rollout).path("last_attempt_id").asString();
    }

    /** Returns why a rollout has failed. */
    public String message(String rollout) throws IOException, InterruptedException {
        return status(rollout).path("error_message").asString();
    }

    /** Returns the last reward of the attempt that counts, as a trainer takes it. */
    public @Nullable Double reward(String rollout) throws IOException, InterruptedException {
        List<Double> all = rewards(rollout);
        return all.isEmpty() ? null : all.get(all.size() - 1);
    }

    /** Returns all rewards of the attempt that counts. */
    public List<Double> rewards(String rollout) throws IOException, InterruptedException {
        List<Double> all = new ArrayList<>();
        for (JsonNode event : new JsonMapper()
                .readTree(get(url + "/api/rollouts/" + rollout + "/events").body())) {
            if (event.path("event_type").asString().equals("reward")) {
                all.add(event.path("data").path("value").doubleValue());
            }
        }
        return all;
    }

    @Override
    public void close() throws Exception {
        goOn();
        for (AutoCloseable each : opened) {
            each.close();
        }
        if (made != null) {
            made.close();
        }
        model.stop(0);
    }
}
