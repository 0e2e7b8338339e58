package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.HostileClientContract;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code rlm collect} with clients that send what they should not. */
class CollectHostileTest extends HostileClientContract {
    private static final long SEED = Long.getLong("fuzz.seed", 29);
    private static final String PROTOBUF = "application/x-protobuf";

    @SuppressWarnings("NullAway.Init") // by each test
    private RunningCollector collector;

    @AfterEach
    void stop() throws Exception {
        collector.close();
    }

    /** A status that exporters take for a reason to send again. */
    @Override
    protected int tooSlow() {
        return 429;
    }

    @Override
    protected Server start() throws Exception {
        collector = RunningCollector.start(folder);
        return new Server(
                URI.create(collector.url() + "/v1/traces"),
                Map.of("Content-Type", "application/json"),
                "{\"resourceSpans\":[]}");
    }

    @Tag("thorough")
    @Test
    void randomAndTruncatedProtobuf_isRefusedOrTaken_andNeverStopsIt() throws Exception {
        Server server = start();
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
    void gzipBomb_isRefused() throws Exception {
        Server server = start();
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bomb)) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 200; i++) {
                out.write(zeros);
            }
        }
        assertThat(collector
                        .post("/v1/traces", bomb.toByteArray(), "Content-Type", PROTOBUF, "Content-Encoding", "gzip")
                        .statusCode())
                .isEqualTo(413);
        assertAnswers(server);
    }
}
