package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.HostileClientContract;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code rlm collect} in a small heap, with clients that send what they should not. */
class CollectHostileTest extends HostileClientContract {
    private static final long SEED = Long.getLong("fuzz.seed", 29);
    private static final String PROTOBUF = "application/x-protobuf";

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
