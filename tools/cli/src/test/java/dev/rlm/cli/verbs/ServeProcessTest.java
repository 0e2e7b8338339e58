package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.HostileClients;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
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
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code rlm serve} as a process: its death, a small heap, and the gateway and the trainer as other processes. */
@Timeout(300)
class ServeProcessTest extends HostileClients {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern LISTENING = Pattern.compile("listening on http://\\S+?:(\\d+)");
    private static final int RUNNING = 101;

    private final List<RlmProcess> started = new ArrayList<>();
    private final List<JsonObject> logs = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch answers = new CountDownLatch(0); // for which the model waits

    @SuppressWarnings("NullAway.Init") // set before each test
    private HttpServer trainer; // its gateway, with the model behind it

    @BeforeEach
    void start() throws IOException {
        trainer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        trainer.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "trainer");
            thread.setDaemon(true);
            return thread;
        }));
        trainer.createContext("/", this::answer);
        trainer.start();
    }

    @AfterEach
    void stop() {
        started.forEach(RlmProcess::close);
        answers.countDown();
        trainer.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (exchange.getRequestURI().getPath().endsWith("/logs")) {
            logs.add(JsonParser.parseString(body).getAsJsonObject());
        } else {
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
        byte[] reply =
                "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"again\"},\"finish_reason\":\"stop\"}]}"
                        .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, reply.length);
        exchange.getResponseBody().write(reply);
        exchange.close();
    }

    private List<JsonObject> statuses(String rollout) {
        return logs.stream()
                .filter(log -> log.get("tags").toString().contains("\"rollout_id:" + rollout + "\""))
                .map(log -> log.getAsJsonObject("status"))
                .toList();
    }

    private List<Integer> codes(String rollout) {
        return statuses(rollout).stream()
                .map(status -> status.get("code").getAsInt())
                .toList();
    }

    private int listen(Path home, List<String> options, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--port", "0"));
        RlmProcess rlm = RlmProcess.start(home, Map.of(), options, Main.class.getName(), all.toArray(String[]::new));
        started.add(rlm);
        rlm.await(() -> LISTENING.matcher(rlm.err()).find());
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).isTrue();
        return Integer.parseInt(said.group(1));
    }

    /** Starts one, and returns it with a request for a rollout. */
    private Server serve(String rollout, String... options) throws IOException {
        int port = listen(folder, List.of(options), "serve", "--env", "chat");
        return new Server(
                URI.create("http://127.0.0.1:" + port + "/init"),
                Map.of("Content-Type", "application/json"),
                init(rollout));
    }

    private String init(String rollout) {
        return "{\"completion_params\":{\"model\":\"sums\"},\"messages\":[{\"role\":\"user\",\"content\":\"What is 3*4?\"}],"
                + "\"model_base_url\":\"http://127.0.0.1:"
                + trainer.getAddress().getPort() + "/rollout_id/" + rollout
                + "\",\"metadata\":{\"rollout_id\":\"" + rollout
                + "\",\"invocation_id\":\"i\",\"experiment_id\":\"e\",\"run_id\":\"u\",\"row_id\":\"w\"}}";
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void killedServer_tellsOfItsRollouts_whenItIsStartedAgain() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        answers = never;
        Server first = serve("r-0");
        for (int i = 0; i < 3; i++) {
            assertAnswers(new Server(first.url(), first.headers(), init("r-" + i)));
        }
        started.get(0).process().destroyForcibly().waitFor();
        answers = new CountDownLatch(1);
        Server second = serve("r-1");
        for (int i = 0; i < 3; i++) {
            String rollout = "r-" + i;
            await("the end of " + rollout)
                    .atMost(PATIENCE)
                    .until(() -> codes(rollout).stream().anyMatch(code -> code != RUNNING));
            List<JsonObject> told = statuses(rollout);
            JsonObject end = told.get(told.size() - 1);
            assertThat(end.get("code").getAsInt()).isEqualTo(10);
            assertThat(end.get("message").getAsString()).isNotEmpty();
        }
        assertAnswers(second);
        answers.countDown();
        await("the end of the second attempt")
                .atMost(PATIENCE)
                .until(() -> codes("r-1").contains(100));
        never.countDown();
        assertThat(codes("r-1")).containsExactly(RUNNING, 10, RUNNING, 100);
    }

    @Test
    void rolloutThatIsNotRecorded_isRefused_andOneThatGoesOnIsToldToTheEnd() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        answers = first;
        Server server = serve("r-1");
        assertAnswers(server);
        RlmProcess rlm = started.get(0);
        assertThat(new ProcessBuilder(
                                "prlimit", "--pid", String.valueOf(rlm.process().pid()), "--fsize=0")
                        .start()
                        .waitFor())
                .isZero();

        HttpResponse<String> refused = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(server.url())
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(init("r-2")))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("the rollout is not recorded: not known to be synced");
        first.countDown();
        await("the end of r-1").atMost(PATIENCE).until(() -> codes("r-1").size() == 2);
        assertThat(codes("r-1")).containsExactly(RUNNING, 100);
        assertThat(codes("r-2")).isEmpty();
    }

    @Tag("thorough")
    @Test
    void bodyOfManyValues_isRefused_andOthersAreAnswered() throws Exception {
        Server server = serve("r", "-Xmx96m");
        String body = server.body().replace("\"sums\"", "\"sums\",\"x\":[" + "[],".repeat(1 << 20) + "[]]");
        Socket socket = connect(server);
        send(socket, head(server, "Content-Length: " + body.length(), "Connection: close") + body);
        assertThat(response(socket)).startsWith("HTTP/1.1 503 ").contains("\"error\"");
        assertAnswers(server);
    }

    @Tag("thorough")
    @Test
    void rolloutsOfServeThroughTheGateway_areScored() throws Exception {
        Path data = Files.writeString(
                folder.resolve("data.jsonl"),
                "{\"question\": \"What is 3*4?\", \"answer\": \"It is <<3*4=12>>12.\\n#### 12\"}\n");
        try (ChatServer model = ChatServer.start().answers(request -> ChatAnswer.text("#### 12"))) {
            Path ofGateway = Files.createDirectory(folder.resolve("gateway"));
            String gateway =
                    "http://localhost:" + listen(ofGateway, List.of(), "gateway", "--upstream", model.baseUrl());
            Path ofServer = Files.createDirectory(folder.resolve("serve"));
            String server = "http://127.0.0.1:" + listen(ofServer, List.of(), "serve", "--env", "chat");
            String[] run = ("run --model sums --rollouts 3 --temperature 0.5 --remote " + server + " --gateway "
                            + gateway + " --dataset " + data)
                    .split(" ", -1);
            try (RlmProcess rlm = RlmProcess.start(folder, Map.of(), run)) {
                rlm.awaitSuccess();
            }
            assertThat(model.requests())
                    .hasSize(3)
                    .allSatisfy(chat -> assertThat(JsonParser.parseString(chat.body())
                                    .getAsJsonObject()
                                    .get("temperature")
                                    .getAsDouble())
                            .isEqualTo(0.5));
        }
        Journal journal = Journal.open(folder.resolve(".rlm"));
        assertThat(journal.runs()).hasSize(3).allSatisfy(run -> {
            RunEnded end = Objects.requireNonNull(run.end());
            assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(end.solved()).isTrue();
            assertThat(end.run().model()).isEqualTo("sums");
        });
        assertThat(journal.runs().stream()
                        .flatMap(run -> journal.events(run.runId()).stream())
                        .filter(ModelCalled.class::isInstance)
                        .map(ModelCalled.class::cast))
                .hasSize(3)
                .allSatisfy(call -> {
                    assertThat(call.parameters()).containsEntry("temperature", 0.5);
                    assertThat(call.messages())
                            .singleElement()
                            .satisfies(message ->
                                    assertThat(message.content().text()).isEqualTo("What is 3*4?"));
                    assertThat(Objects.requireNonNull(call.reply()).content().text())
                            .isEqualTo("#### 12");
                });
    }
}
