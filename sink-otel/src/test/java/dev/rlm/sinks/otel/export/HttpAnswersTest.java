package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.HostileServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which successful answers of HTTP are those of an OTLP endpoint. */
@Timeout(60)
class HttpAnswersTest {
    private final HostileServer server = HostileServer.speaking(Rig.HTTP);

    HttpAnswersTest() throws IOException {}

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "application/x-protobuf, ''", // MLflow
        "'', ''", // Prometheus
        "text/plain, ''",
        "application/json, {}",
        "application/json; charset=utf-8, '{ \"partialSuccess\": {} }'",
        "'', {}"
    })
    void answer_ofAnEndpoint_isConsent(String type, String body) throws IOException {
        server.behave(answer(type, body));

        assertThat(check().available()).isTrue();
    }

    @Test
    void emptyPartialSuccess_isConsent() throws IOException {
        server.behave(exchange -> exchange.answer(new byte[] {0x0a, 0x00})); // Jaeger, Tempo

        assertThat(check().available()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "text/html, ''",
        "text/plain, ok",
        "'', ok",
        "application/x-protobuf, ok",
        "application/json, '{\"detail\":\"no such page\"}'",
        "application/json, null"
    })
    void answer_ofAnythingElse_isNone(String type, String body) throws IOException {
        server.behave(answer(type, body));

        assertThat(check())
                .returns(false, Sink.Health::available)
                .satisfies(health -> assertThat(health.detail()).contains("not an OTLP endpoint: it answers with "));
    }

    @Test
    void rejection_inJson_isUnderstood() throws IOException {
        server.behave(answer(
                "application/json",
                "{\"partialSuccess\":{\"rejectedSpans\":\"3\",\"errorMessage\":\"three {are} odd\"}}"));

        assertThat(check().detail()).contains("spans: rejected (“three {are} odd”)");
    }

    @Test
    void credential_thatTheServerQuotes_isNotShown_notEvenItsBeginning() throws IOException {
        String key = "0123456789abcdefghijklmnopqrstuvwxyz";
        for (int before : new int[] {0, 180, 390, 4_080}) { // where texts are cut, it may be cut in two
            String body = "{\"message\":\"" + "x".repeat(before) + key + "\"}";
            server.behave(HostileServer.Behaviour.status(401, "application/json", body, Map.of()));

            assertThat(check(Map.of("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20" + key)))
                    .asString()
                    .contains("xxx".substring(0, Math.min(3, before)), "…")
                    .doesNotContain(key.substring(0, 6));
        }
    }

    @Test
    void message_ofAPartialSuccess_isOneShortLine() throws IOException {
        server.behave(answer(
                "application/json",
                "{\"partialSuccess\":{\"rejectedSpans\":\"1\",\"errorMessage\":\"a\nb" + "c".repeat(300) + "\"}}"));

        assertThat(check().detail()).contains("(“a bccc").hasSizeLessThan(300);
    }

    private static HostileServer.Behaviour answer(String type, String body) {
        return exchange -> {
            exchange.head(200, type.isEmpty() ? Map.of() : Map.of("content-type", type));
            exchange.body(body.getBytes(StandardCharsets.UTF_8));
            exchange.end();
        };
    }

    private Sink.Health check() {
        return check(Map.of());
    }

    private Sink.Health check(Map<String, String> more) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                server.endpoint(),
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                Rig.HTTP,
                "RLM_OTEL_METRICS_ENABLED",
                "false",
                "RLM_OTEL_LOGS_ENABLED",
                "false"));
        variables.putAll(more);
        try (Sink sink = new OtelSinkProvider().create(SinkConfig.of(variables).sink("otel"))) {
            return sink.check(Duration.ofSeconds(20));
        }
    }
}
