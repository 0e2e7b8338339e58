package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;
import static dev.rlm.collector.Otlp.span;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Cli;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.otel.backend.FreePort;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are taken or refused by the options of {@code rlm collect}. */
@Timeout(180)
@Tag("thorough")
class CollectAccessTest {
    private static final String PROTOBUF = "application/x-protobuf";
    private static final String TOKEN = "collect-token-of-this-test";
    private static final int LARGE = 9 << 20;

    @TempDir
    private Path folder;

    private static byte[] spans() {
        return request(span(1, 0, "chat m", Map.of("gen_ai.operation.name", "chat")))
                .toByteArray();
    }

    @Test
    void requests_withoutTheToken_areRefused_andWithItTaken() throws Exception {
        try (CollectProcess collector =
                CollectProcess.start(folder, Map.of("RLM_COLLECT_TOKEN", TOKEN), List.of(), "--host", "0.0.0.0")) {
            assertThat(collector.rlm().err()).contains("token as RLM_COLLECT_TOKEN says");
            for (String path : List.of("/v1/traces", "/v1/logs", "/v1/metrics")) {
                HttpResponse<byte[]> refused = collector.post(path, spans(), "Content-Type", PROTOBUF);
                assertThat(refused.statusCode()).as(path).isEqualTo(401);
                assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Bearer");
            }
            for (String[] header : new String[][] {
                {"Authorization", "Bearer wrong"}, {"x-rlm-token", "wrong"}, {"Authorization", TOKEN}
            }) {
                assertThat(collector
                                .post("/v1/traces", spans(), "Content-Type", PROTOBUF, header[0], header[1])
                                .statusCode())
                        .isEqualTo(401);
            }
            assertThat(collector.runs()).isEmpty();
            assertThat(collector
                            .post("/v1/traces", spans(), "Content-Type", PROTOBUF, "Authorization", "Bearer " + TOKEN)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(collector
                            .post("/v1/traces", spans(), "Content-Type", PROTOBUF, "x-rlm-token", TOKEN)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(collector.events(Otlp.TRACE)).isNotEmpty();
        }
    }

    @Test
    void refusal_beforeTheBodyHasCome_saysThatTheConnectionCloses() throws Exception {
        try (CollectProcess collector = CollectProcess.start(folder, Map.of("RLM_COLLECT_TOKEN", TOKEN), List.of())) {
            URI url = URI.create(collector.url());
            for (String path : List.of("/v1/traces", "/v1/events")) {
                try (Socket socket = new Socket(url.getHost(), url.getPort())) {
                    socket.getOutputStream()
                            .write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + PROTOBUF
                                            + "\r\nContent-Length: 1000\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
                    assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                            .startsWith("HTTP/1.1 401 ")
                            .containsIgnoringCase("Connection: close");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http/protobuf", "grpc"})
    void token_inTheHeadersOfASdk_isKnown(String protocol) throws Exception {
        Map<String, String> journal =
                Map.of("RLM_JSONL_DIR", folder.resolve("original").toString());
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(journal)).build()) {
            Events.minimal("asked").forEach(sinks::publish);
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();
        }
        try (CollectProcess collector = CollectProcess.start(
                folder,
                Map.of("RLM_COLLECT_TOKEN", TOKEN),
                List.of(),
                "--grpc-port",
                Integer.toString(FreePort.find()))) {
            Map<String, String> variables = new HashMap<>(journal);
            variables.put("RLM_OTEL_ENABLED", "true");
            variables.put(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", protocol.equals("grpc") ? collector.grpcUrl() : collector.url());
            variables.put("OTEL_EXPORTER_OTLP_PROTOCOL", protocol);
            assertThat(Cli.with(variables, "resend").exitCode()).isNotZero();
            assertThat(collector.runs()).isEmpty();

            variables.put("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20" + TOKEN);
            Cli sent = Cli.with(variables, "resend");
            assertThat(sent.exitCode()).as(sent.err()).isZero();
            assertThat(collector.events("asked")).isNotEmpty();
        }
    }

    @Test
    void tracesOfOtherMatters_areKeptWithKeepAll() throws Exception {
        try (CollectProcess collector = CollectProcess.start(folder, "--keep-all")) {
            collector.post(
                    "/v1/traces",
                    request(span(2, 1, "SELECT", Map.of("db.system", "x")), lasting(9, span(1, 0, "GET /", Map.of())))
                            .toByteArray(),
                    "Content-Type",
                    PROTOBUF);
            assertThat(collector.events(Otlp.TRACE))
                    .filteredOn(SpanRecorded.class::isInstance)
                    .hasSize(1);
        }
    }

    @Test
    void requests_forWhichThereIsNoRoom_areToBeSentAgain() throws Exception {
        List<Socket> underWay = new ArrayList<>();
        try (CollectProcess collector = CollectProcess.start(folder, Map.of(), List.of("-Xmx64m"))) {
            URI url = URI.create(collector.url());
            for (int i = 0; i < 4; i++) { // of which the heap has room for two
                Socket socket = new Socket(url.getHost(), url.getPort());
                underWay.add(socket);
                socket.getOutputStream()
                        .write(("POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + PROTOBUF
                                        + "\r\nContent-Length: " + LARGE + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
            }
            await().atMost(CollectProcess.PATIENCE)
                    .until(() -> underWay.stream().anyMatch(CollectAccessTest::isAnswered));
            Socket refused = underWay.stream()
                    .filter(CollectAccessTest::isAnswered)
                    .findFirst()
                    .orElseThrow();
            byte[] answer = new byte[refused.getInputStream().available()];
            assertThat(refused.getInputStream().read(answer)).isPositive();
            assertThat(new String(answer, StandardCharsets.ISO_8859_1))
                    .startsWith("HTTP/1.1 429 ")
                    .containsIgnoringCase("Retry-After: 1");
            for (Socket socket : underWay) {
                socket.close();
            }

            await().atMost(CollectProcess.PATIENCE)
                    .until(() -> collector
                                    .post("/v1/traces", spans(), "Content-Type", PROTOBUF)
                                    .statusCode()
                            == 200);
            assertThat(collector.events(Otlp.TRACE)).isNotEmpty();
        }
    }

    private static boolean isAnswered(Socket socket) {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            return false;
        }
    }
}
