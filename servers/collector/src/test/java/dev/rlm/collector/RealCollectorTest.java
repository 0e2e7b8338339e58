package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;
import static dev.rlm.collector.Otlp.span;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.otel.backend.CollectorServer;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerSpan;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import dev.rlm.sinks.testkit.FreePort;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code rlm collect} behind a real OpenTelemetry Collector, and before a real Jaeger. */
@Tag("thorough")
@Timeout(180)
class RealCollectorTest {
    private static final String CONFIG = """
            receivers:
              otlp:
                protocols:
                  grpc:
                    endpoint: ${env:LISTEN_HOST}:${env:OTLP_GRPC_PORT}
                  http:
                    endpoint: ${env:LISTEN_HOST}:${env:OTLP_HTTP_PORT}
            processors:
              batch:
                timeout: 100ms
            exporters:
              otlp:
                endpoint: ${env:COLLECT}
                tls:
                  insecure: true
              otlphttp:
                endpoint: ${env:COLLECT}
            service:
              pipelines:
                traces:
                  receivers: [otlp]
                  processors: [batch]
                  exporters: [EXPORTER]
            """;
    private static final Map<String, String> CHAT = Map.of(
            "gen_ai.operation.name", "chat",
            "gen_ai.provider.name", "openai",
            "gen_ai.request.model", "gpt-x",
            "gen_ai.input.messages", "[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Hi\"}]}]");

    @TempDir
    private Path folder;

    private static void send(String url) throws Exception {
        byte[] spans = request(span(2, 1, "chat gpt-x", CHAT), lasting(9, span(1, 0, "agent", Map.of())))
                .toByteArray();
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/traces"))
                .header("Content-Type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(spans))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(200);
    }

    private static void assertIsThere(List<RunEvent> run) {
        assertThat(run.get(0).run().task().text()).isEqualTo("Hi");
        assertThat(run.get(0).run().environment()).isEqualTo("my-agent");
        assertThat(run).filteredOn(ModelCalled.class::isInstance).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"otlp, grpc", "otlphttp, http/protobuf"})
    void spans_thatACollectorForwards_areARun(String exporter, String protocol) throws Exception {
        Path config = Files.writeString(folder.resolve("collector.yaml"), CONFIG.replace("EXPORTER", exporter));
        try (RunningCollector collect =
                RunningCollector.start(folder, "--grpc-port", Integer.toString(FreePort.find()))) {
            String to = protocol.equals("grpc") ? collect.grpcUrl() : collect.url();
            try (CollectorServer before = CollectorServer.start(config, Map.of("COLLECT", to))) {
                send(before.httpEndpoint());
                assertIsThere(collect.events(Otlp.TRACE));
            }
        }
    }

    @Test
    void run_ofCollectedSpans_isInJaegerInItsTrace() throws Exception {
        try (JaegerServer jaeger = JaegerServer.start();
                RunningCollector collect = RunningCollector.start(
                        folder,
                        Map.of("RLM_OTEL_ENABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", jaeger.httpEndpoint()))) {
            send(collect.url());
            assertIsThere(collect.events(Otlp.TRACE));
            JaegerTrace trace = jaeger.awaitTrace(Otlp.TRACE, 3); // the run, its step, the call
            assertThat(trace.spans())
                    .filteredOn(span -> "chat".equals(span.tags().get("gen_ai.operation.name")))
                    .extracting(JaegerSpan::name)
                    .containsExactly("chat gpt-x");
        }
    }
}
