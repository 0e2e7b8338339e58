package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;
import static dev.rlm.collector.Otlp.span;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.testkit.FreePort;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are taken or refused by the options of {@code rlm collect}. */
@Timeout(180)
class CollectAccessTest {
    private static final String PROTOBUF = "application/x-protobuf";
    private static final String TOKEN = "collect-token-of-this-test";

    @TempDir
    private Path folder;

    private static byte[] spans() {
        return request(span(1, 0, "chat m", Map.of("gen_ai.operation.name", "chat")))
                .toByteArray();
    }

    @Test
    void requests_withoutTheToken_areRefused_andWithItTaken() throws Exception {
        try (RunningCollector collector =
                RunningCollector.start(folder, Map.of("RLM_COLLECT_TOKEN", TOKEN), "--host", "0.0.0.0")) {
            assertThat(collector.err()).contains("token as RLM_COLLECT_TOKEN says");
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
        try (RunningCollector collector = RunningCollector.start(folder, Map.of("RLM_COLLECT_TOKEN", TOKEN))) {
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
    @ValueSource(strings = {"http/protobuf", "grpc", "grpc at the port of HTTP"})
    void token_inTheHeadersOfASdk_isKnown(String protocol) throws Exception {
        try (RunningCollector collector = RunningCollector.start(
                folder, Map.of("RLM_COLLECT_TOKEN", TOKEN), "--grpc-port", Integer.toString(FreePort.find()))) {
            Map<String, String> variables = new HashMap<>();
            variables.put(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", protocol.equals("grpc") ? collector.grpcUrl() : collector.url());
            variables.put("OTEL_EXPORTER_OTLP_PROTOCOL", protocol.replaceFirst(" .*", ""));
            collector.sendNumbers(variables);
            assertThat(collector.numbers()).isEmpty();

            variables.put("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20" + TOKEN);
            collector.sendNumbers(variables);
            await().atMost(RunningCollector.PATIENCE)
                    .until(() -> !collector.numbers().isEmpty());
        }
    }

    @Test
    void portOfGrpc_thatIsTaken_isNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            Map<String, String> variables =
                    Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
            Cli rlm = Cli.with(variables, "collect", "--port", "0", "--grpc-port", port);
            assertThat(rlm.exitCode()).isEqualTo(2);
            assertThat(rlm.err()).contains("--grpc-port=" + port + " cannot be had: ");
        }
    }

    @Test
    void tracesOfOtherMatters_areKeptWithKeepAll() throws Exception {
        try (RunningCollector collector = RunningCollector.start(folder, "--keep-all")) {
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
    void lastLine_tellsWhatWasLeftOut() throws Exception {
        try (RunningCollector collector = RunningCollector.start(folder)) {
            collector.post("/v1/logs", """
                    {"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"hello"}},
                    {"body":{"stringValue":"there"}}]}]}]}""");
            collector.post("/v1/metrics", """
                    {"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"jvm.threads",
                    "gauge":{"dataPoints":[{"asInt":"3","timeUnixNano":"1767323045000000000"}]}}]}]}]}""");

            collector.stop();

            assertThat(collector.err())
                    .contains("left out 2 log records of other matters; left out 1 data point of other metrics");
        }
    }
}
