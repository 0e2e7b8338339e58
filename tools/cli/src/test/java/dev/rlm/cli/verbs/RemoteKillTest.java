package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.verbs.KillingProxy.Kind;
import dev.rlm.cli.verbs.KillingProxy.Moment;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.sinks.event.ModelCalled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * A trainer's real client while {@code kill -9} ends the gateway or the rollout server at requests chosen by a seed; each is
 * started again with its port and its journal.
 */
@Tag("thorough")
@Timeout(1_200)
@EnabledIfEnvironmentVariable(
        named = RemoteClientTest.CLIENT,
        matches = ".+",
        disabledReason = "RLM_ROLLOUT_CLIENT names no program that runs a trainer's client")
class RemoteKillTest {
    private static final int KILLS = Integer.getInteger("rlm.test.remote.kills", 50);
    private static final long SEED = Long.getLong("rlm.test.remote.seed", 28);
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Pattern LISTENING = Pattern.compile("listening on http://127.0.0.1:(\\d+)");
    private static final Pattern PRODUCT = Pattern.compile("What is (\\d+)\\*(\\d+)");
    private static final int MOST_BETWEEN = 8; // requests of a kind between two kills
    private static final int FINISHED = 100;
    private static final int INTERNAL = 13;
    private static final int NOT_FOUND = 5;

    private final Random random = new Random(SEED);
    private final AtomicInteger kills = new AtomicInteger();
    private final AtomicInteger replies = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Collection<String> orphaned =
            ConcurrentHashMap.newKeySet(); // rollouts that were open when their server died

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private KillingProxy proxy;

    @SuppressWarnings("NullAway.Init") // set before each test
    private HttpServer model;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Party gateway;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Party server;

    @BeforeEach
    void start() throws Exception {
        model = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
        model.setExecutor(Executors.newCachedThreadPool());
        model.createContext("/", this::multiply);
        model.start();
        proxy = new KillingProxy();
        String upstream = "http://127.0.0.1:" + model.getAddress().getPort() + "/v1";
        gateway = new Party("gateway", "gateway", "--upstream", upstream);
        server = new Party("server", "serve", "--env", "chat");
        proxy.forwardTo(server.url(), gateway.url());
    }

    @AfterEach
    void stop() {
        server.close();
        gateway.close();
        proxy.close();
        model.stop(0);
    }

    /** A process that is started again, after its death, with its port and its journal. */
    private final class Party {
        private final Path home;
        private final String[] arguments;
        private int port;
        private RlmProcess rlm;
        private boolean closed;

        Party(String name, String... arguments) throws Exception {
            this.home = Files.createDirectory(folder.resolve(name));
            this.arguments = arguments;
            this.rlm = run();
            Matcher said = LISTENING.matcher(rlm.err());
            assertThat(said.find()).isTrue();
            this.port = Integer.parseInt(said.group(1));
        }

        private RlmProcess run() throws IOException {
            List<String> all = new ArrayList<>(List.of(arguments));
            all.addAll(List.of("--port", String.valueOf(port)));
            Map<String, String> variables =
                    Map.of("RLM_JSONL_DIR", home.resolve("journal").toString(), "RLM_JSONL_ENABLED", "true");
            List<String> java = List.of("-XX:+UseSerialGC"); // starts sooner
            RlmProcess started =
                    RlmProcess.start(home, variables, java, Main.class.getName(), all.toArray(String[]::new));
            started.await(() -> LISTENING.matcher(started.err()).find());
            return started;
        }

        String url() {
            return "http://127.0.0.1:" + port;
        }

        synchronized void kill() throws IOException, InterruptedException {
            rlm.process().destroyForcibly();
            rlm.process().waitFor();
            if (this == server) {
                orphaned.addAll(proxy.open());
            }
            if (!closed) {
                rlm = run();
            }
        }

        /** Ends it in order, and returns its journal. */
        Journal ended() throws Exception {
            rlm.signal("TERM");
            rlm.process().waitFor();
            return Journal.open(home.resolve("journal"));
        }

        synchronized void close() {
            closed = true;
            rlm.close();
        }
    }

    /** Answers with the product, and an id of its own. */
    private void multiply(HttpExchange exchange) throws IOException {
        String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Matcher sum = PRODUCT.matcher(request);
        assertThat(sum.find()).isTrue();
        String said = "{\"role\":\"assistant\",\"content\":\"#### "
                + Integer.parseInt(sum.group(1)) * Integer.parseInt(sum.group(2)) + "\"}";
        boolean stream = request.contains("\"stream\":true");
        String reply =
                "{\"id\":\"call-" + replies.incrementAndGet() + "\",\"model\":\"sums\",\"choices\":[{\"index\":0,\""
                        + (stream ? "delta" : "message") + "\":" + said + ",\"finish_reason\":\"stop\"}]}";
        byte[] bytes = (stream ? "data: " + reply + "\n\ndata: [DONE]\n\n" : reply).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", stream ? "text/event-stream" : "application/json");
        exchange.sendResponseHeaders(200, stream ? 0 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** Plans the next kill, unless there were enough. */
    private void planNext() {
        if (kills.get() < KILLS) {
            Kind kind = any(List.of(Kind.values()));
            Moment moment = any(List.of(Moment.values()));
            Party victim = any(List.of(gateway, server));
            proxy.plan(new KillingProxy.Plan(kind, random.nextInt(MOST_BETWEEN), moment, () -> {
                try {
                    victim.kill();
                    kills.incrementAndGet();
                    planNext();
                } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
                    failure.set(e);
                }
            }));
        }
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    @Test
    void rows_endAsTheProtocolSays_andAnsweredCallsAreInTheJournal() throws Exception {
        Path rows = folder.resolve("rows");
        Process client = client(rows);
        try {
            await().atMost(PATIENCE).until(() -> Files.exists(rows) || !client.isAlive());
            planNext();
            await().atMost(PATIENCE).until(() -> kills.get() == KILLS || failure.get() != null || !client.isAlive());
            Files.createFile(folder.resolve("stop"));
            assertThat(client.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            client.descendants().forEach(ProcessHandle::destroyForcibly);
            client.destroyForcibly();
        }
        String said = Files.readString(folder.resolve("client"));
        assertThat(client.exitValue()).as(said).isZero();
        assertThat(failure).as("starting again").hasNullValue();
        assertThat(kills).as(said).hasValue(KILLS);

        List<JsonObject> ends = Files.readAllLines(rows).stream()
                .map(JsonParser::parseString)
                .map(JsonElement::getAsJsonObject)
                .toList();
        System.out.println("seed " + SEED + ", " + kills + " kills, rows by code: "
                + ends.stream().collect(Collectors.groupingBy(RemoteKillTest::code, Collectors.counting())));
        assertThat(ends).hasSizeGreaterThan(KILLS).allSatisfy(this::assertEnd);
        assertThat(ends).filteredOn(row -> code(row) == FINISHED).isNotEmpty();
        assertRecords(server.ended(), gateway.ended());
    }

    private Process client(Path rows) throws Exception {
        Path driver = Path.of(Objects.requireNonNull(RemoteKillTest.class.getResource("test_killed.py"))
                .toURI());
        ProcessBuilder client = new ProcessBuilder(
                        System.getenv(RemoteClientTest.CLIENT), driver.toString(), "-k", "killed")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("client").toFile());
        client.environment()
                .putAll(Map.of(
                        "RLM_ROLLOUT_URL",
                        "http://127.0.0.1:" + proxy.port(),
                        "RLM_GATEWAY_URL",
                        "http://localhost:" + proxy.port(),
                        "RLM_ROWS",
                        rows.toString(),
                        "RLM_STOP",
                        folder.resolve("stop").toString()));
        return client.start();
    }

    private static int code(JsonObject row) {
        return row.get("code").getAsInt();
    }

    /** A row that no kill has touched is finished; one that was touched is, too, or says why not. None waits until its time is up. */
    private void assertEnd(JsonObject row) {
        String rollout = row.get("rollout").getAsString();
        List<String> messages = row.getAsJsonArray("messages").asList().stream()
                .map(JsonElement::getAsString)
                .toList();
        if (code(row) == FINISHED) {
            assertThat(messages)
                    .as("%s", row)
                    .hasSize(2)
                    .endsWith(row.get("expected").getAsString());
            return;
        }
        assertThat(code(row)).as("%s", row).isIn(INTERNAL, NOT_FOUND);
        assertThat(messages).as("%s", row).hasSize(1);
        if (!proxy.unlogged().contains(rollout)) { // a client asks once for the message
            assertThat(row.get("status").getAsString()).as("%s", row).isNotBlank();
        }
        assertThat(proxy.broken().contains(rollout) || orphaned.contains(rollout))
                .as("no kill has touched %s", row)
                .isTrue();
    }

    private void assertRecords(Journal served, Journal calls) {
        assertThat(List.of(served, calls))
                .allSatisfy(journal -> assertThat(journal.runs())
                        .noneMatch(run -> run.state() == RunState.RUNNING || run.state() == RunState.UNFINISHED));
        assertThat(served.runs())
                .extracting(run -> run.run().correlation().rollout())
                .containsAll(proxy.begun());
        assertThat(calls.runs().stream()
                        .flatMap(run -> calls.events(run.runId()).stream())
                        .map(RemoteKillTest::reply)
                        .filter(Objects::nonNull)
                        .toList())
                .containsAll(proxy.answeredCalls());
        assertThat(proxy.answeredCalls()).isNotEmpty();
    }

    private static @Nullable String reply(Object event) {
        return event instanceof ModelCalled call ? call.responseId() : null;
    }
}
