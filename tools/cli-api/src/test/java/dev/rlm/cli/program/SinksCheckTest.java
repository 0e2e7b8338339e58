package dev.rlm.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Told;
import dev.rlm.sinks.otel.backend.HostileServer;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code rlm sinks --check} says of a back end. */
class SinksCheckTest {
    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/protobuf"})
    void backEnd_thatAnswers_isWell(String protocol) throws IOException {
        try (HostileServer server = HostileServer.speaking(protocol)) { // which is friendly until told otherwise
            Told checked = check(protocol, server.endpoint(), "--json");

            assertThat(checked.exitCode()).isZero();
            assertThat(checked.out())
                    .contains(
                            "\"state\":\"delivers\",\"available\":true",
                            server.endpoint() + " (" + protocol + "), spans: taken")
                    .contains(
                            "\"check_spans\":\"taken\"",
                            "\"check_metrics\":\"taken\"",
                            "\"check_logs\":\"taken\"",
                            "\"spans_exported\":0");
            assertThat(server.requests()).isEqualTo(3);
        }
    }

    @Test
    void backEnd_thatIsNone_isSaidSo() throws IOException {
        try (HostileServer server = HostileServer.speaking("http/protobuf")) {
            server.behave(HostileServer.Behaviour.status(200, "text/html", "<html>", Map.of()));
            Told checked = check("http/protobuf", server.endpoint());

            assertThat(checked.exitCode()).isEqualTo(1);
            assertThat(checked.out().lines())
                    .anyMatch(line ->
                            line.matches("otel +not available +.*not an OTLP endpoint: it answers with a web page.*"))
                    .anyMatch(line -> line.matches("otel +check_spans +not an OTLP endpoint.*"))
                    .noneMatch(line -> line.contains("RLM_OTEL_ENABLED"));
        }
    }

    @Test
    void sink_thatIsNotEnabled_isNotAsked() {
        Told checked = Told.by(Map.of("RLM_JSONL_ENABLED", "false"), "sinks", "--check");

        assertThat(checked.exitCode()).isZero();
        assertThat(checked.out().lines())
                .anyMatch(line -> line.matches("otel +off +RLM_OTEL_ENABLED=true turns it on"))
                .noneMatch(line -> line.contains("available") || line.contains("delivers"));
        assertThat(Told.by(Map.of("RLM_JSONL_ENABLED", "false"), "sinks", "--json")
                        .out())
                .contains("{\"name\":\"otel\",\"enabled\":false,\"state\":\"off\",\"available\":null,");
    }

    @Test
    void furtherSink_tellsItsOwnVariables() {
        Told listed = Told.by(
                Map.of(
                        "RLM_JSONL_ENABLED", "false",
                        "RLM_OTEL_LANGFUSE_ENABLED", "true",
                        "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT", "http://localhost:1"),
                "sinks",
                "--json");

        assertThat(listed.exitCode()).isZero();
        assertThat(listed.out())
                .contains(
                        "{\"name\":\"RLM_OTEL_LANGFUSE_ENABLED\",\"default\":\"false\"",
                        "\"name\":\"RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT\",\"default\":\"\"",
                        "\"name\":\"RLM_OTEL_LANGFUSE_METRICS_ENABLED\",\"default\":\"true\"",
                        "\"name\":\"RLM_OTEL_LANGFUSE_SDK\",\"default\":\"own\"",
                        "\"name\":\"RLM_OTEL_LANGFUSE_SUCCESS_RATIO\",\"default\":\"that of RLM_OTEL_SUCCESS_RATIO\"");
    }

    private static Told check(String protocol, String endpoint, String... more) {
        String[] arguments = new String[more.length + 2];
        arguments[0] = "sinks";
        arguments[1] = "--check";
        System.arraycopy(more, 0, arguments, 2, more.length);
        return Told.by(
                Map.of(
                        "RLM_JSONL_ENABLED",
                        "false",
                        "RLM_OTEL_ENABLED",
                        "true",
                        "OTEL_EXPORTER_OTLP_PROTOCOL",
                        protocol,
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        endpoint),
                arguments);
    }
}
