package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.launcher.HostileClientContract;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.JournalException;
import dev.rlm.sinks.jsonl.RunSummary;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code rlm collect} in a small heap, with clients that send what they should not. */
@Tag("thorough")
class CollectHostileTest extends HostileClientContract {
    private static final long SEED = Long.getLong("fuzz.seed", 29);
    private static final String PROTOBUF = "application/x-protobuf";

    private static final int MANY = 150;
    private static final int CONNECTIONS = 10_000;

    private final List<CollectProcess> started = new ArrayList<>();

    @AfterEach
    void stop() {
        started.forEach(CollectProcess::close);
    }

    @Override
    protected Server start(List<String> options) throws Exception {
        CollectProcess collector = CollectProcess.start(folder, Map.of(), options);
        started.add(collector);
        return new Server(
                collector.rlm(),
                URI.create(collector.url() + "/v1/traces"),
                Map.of("Content-Type", "application/json"),
                "{\"resourceSpans\":[]}");
    }

    @Override
    protected byte[] costlyBody(int size) {
        return ("{\"resourceSpans\":[" + "{},".repeat(size / 3) + "{}]}").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void randomAndTruncatedProtobuf_isRefusedOrTaken_andNeverStopsIt() throws Exception {
        Server server = start(SMALL_HEAP);
        CollectProcess collector = started.get(0);
        byte[] good = Otlp.request(Otlp.span(1, 0, "chat m", Map.of("gen_ai.operation.name", "chat")))
                .toByteArray();
        Random random = new Random(SEED);
        for (int i = 0; i < 1_000; i++) {
            byte[] body = good.clone();
            int changes = random.nextInt(4);
            for (int c = 0; c < changes; c++) {
                body[random.nextInt(body.length)] = (byte) random.nextInt(256);
            }
            int length = random.nextInt(good.length) + 1;
            byte[] cut = random.nextBoolean() ? body : java.util.Arrays.copyOf(body, length);
            if (i % 10 == 0) {
                random.nextBytes(cut);
            }
            assertThat(collector
                            .post("/v1/traces", cut, "Content-Type", PROTOBUF)
                            .statusCode())
                    .as("seed " + SEED + ", body " + i)
                    .isIn(200, 400, 413);
        }
        assertAnswers(server);
    }

    @Test
    void deepAndManyValues_areRefused() throws Exception {
        Server server = start(SMALL_HEAP);
        CollectProcess collector = started.get(0);
        String deep = "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"attributes\":" + "[".repeat(100_000)
                + "]".repeat(100_000) + "}]}]}]}";
        assertThat(status(collector, deep)).isEqualTo(400);
        String many = "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"attributes\":[" + "{},".repeat(2_000_000)
                + "{}]}]}]}]}";
        assertThat(status(collector, many)).isEqualTo(413);
        assertAnswers(server);
    }

    @Test
    void manyAtOnce_areTakenOrRefused_andNoTextIsGivenUp() throws Exception {
        Server server = start(SMALL_HEAP);
        CollectProcess collector = started.get(0);
        String text = "api_key of the job: none. ".repeat(400);
        ExecutorService senders = Executors.newFixedThreadPool(MANY);
        try {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                byte[] body = request(i + 1, 20, text);
                answers.add(senders.submit(() -> collector
                        .post("/v1/traces", body, "Content-Type", PROTOBUF)
                        .statusCode()));
            }
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isIn(200, 429);
            }
        } finally {
            senders.shutdownNow();
        }
        assertThat(collector.rlm().err()).doesNotContain("text was dropped");
        assertAnswers(server);
    }

    @Test
    void traceWithoutAnAgent_thatNeverEnds_isLetGo() throws Exception {
        Server server = start(SMALL_HEAP);
        CollectProcess collector = started.get(0);
        Map<String, String> query = Map.of("db.query.text", "SELECT this FROM that ".repeat(800));
        for (int i = 0; i < 100; i++) {
            Span[] spans = new Span[20];
            for (int j = 0; j < spans.length; j++) {
                spans[j] =
                        Otlp.of(1, 20 * i + j + 1, 1_000_000, "SELECT", query).build();
            }
            assertThat(collector
                            .post("/v1/traces", Otlp.request(spans).toByteArray(), "Content-Type", PROTOBUF)
                            .statusCode())
                    .isIn(200, 429);
        }
        assertAnswers(server);
        collector.stop();
        assertThat(collector.rlm().err()).doesNotContain("OutOfMemory", "Exception");
    }

    private static byte[] request(int trace, int spans, String text) {
        Span[] all = new Span[spans];
        for (int i = 0; i < spans; i++) {
            Map<String, String> attributes = Map.of("gen_ai.operation.name", "chat", "gen_ai.prompt", text + i);
            all[i] = Otlp.of(trace, i + 1, i == 0 ? 0 : 1, "chat", attributes).build();
        }
        return Otlp.request(all).toByteArray();
    }

    /** The folder has a file system of its own, which is soon full; it goes with the process. */
    @Test
    void fullDisk_isAnsweredWith503_andWhatWasAcknowledgedIsThere() throws Exception {
        String mount = "mount -t tmpfs -o size=4m tmpfs " + folder.resolve(".rlm");
        Files.createDirectory(folder.resolve(".rlm"));
        assumeTrue(succeeds("unshare", "-m", "sh", "-c", mount), "unshare -m and mount are needed");
        CollectProcess collector = CollectProcess.startUnder(
                List.of("unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", "sh"),
                folder,
                Map.of(),
                SMALL_HEAP,
                "--quiet-time",
                "100ms");
        started.add(collector);
        Path within = Path.of("/proc/" + collector.rlm().process().pid() + "/root" + folder.resolve(".rlm"));
        Path other = Files.write(within.resolve("of-another"), new byte[3 << 20]);
        String text = "word ".repeat(2_000);
        int acknowledged = 0;
        HttpResponse<byte[]> answer = collector.post("/v1/traces", request(1, 5, text), "Content-Type", PROTOBUF);
        while (answer.statusCode() == 200 && acknowledged < 1_000) {
            acknowledged++;
            answer = collector.post("/v1/traces", request(acknowledged + 1, 5, text), "Content-Type", PROTOBUF);
        }
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("the disk does not take it");

        Files.delete(other); // and it goes on
        byte[] again = request(acknowledged + 1, 5, text);
        await().atMost(CollectProcess.PATIENCE)
                .until(() -> collector
                                .post("/v1/traces", again, "Content-Type", PROTOBUF)
                                .statusCode()
                        == 200);
        int runs = acknowledged + 1;
        await().atMost(CollectProcess.PATIENCE)
                .ignoreException(JournalException.class) // nothing was recorded before there was room
                .untilAsserted(() -> assertThat(Journal.open(within).runs())
                        .hasSize(runs)
                        .allMatch(run -> run.row().end() != null));
        for (RunSummary run : Journal.open(within).runs()) {
            assertThat(Journal.open(within).events(run.runId()))
                    .filteredOn(ModelCalled.class::isInstance)
                    .as(run.runId())
                    .hasSize(5);
        }
    }

    private static boolean succeeds(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void thousandsOfConnections_areHeldInASmallHeap() throws Exception {
        Server server = start(SMALL_HEAP);
        int open = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            try {
                connect(server);
                open++;
            } catch (IOException e) {
                break; // as many as the system gives
            }
            if (i % 1_000 == 0) {
                assertAnswers(server);
            }
        }
        assertThat(open).isGreaterThan(1_000);
        assertAnswers(server);
        assertThat(started.get(0).rlm().err()).doesNotContain("OutOfMemory");
    }

    private static int status(CollectProcess collector, String json) throws Exception {
        return collector
                .post("/v1/traces", json.getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json")
                .statusCode();
    }

    @Test
    void gzipBomb_isRefused() throws Exception {
        Server server = start(SMALL_HEAP);
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bomb)) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 200; i++) {
                out.write(zeros);
            }
        }
        assertThat(started.get(0)
                        .post("/v1/traces", bomb.toByteArray(), "Content-Type", PROTOBUF, "Content-Encoding", "gzip")
                        .statusCode())
                .isEqualTo(413);
        assertAnswers(server);
    }
}
