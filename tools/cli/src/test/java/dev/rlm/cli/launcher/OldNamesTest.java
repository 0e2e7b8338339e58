package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Variables by the names that they had before. */
@Timeout(120)
class OldNamesTest {
    private static final Map<String, String> NOWHERE = Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");

    @TempDir
    private Path folder;

    @Test
    void oldNames_turnTheSinkOnAndItsMetricsOff_withALineEach() throws Exception {
        try (RlmProcess sinks = start(Map.of("DSPY_RLM_OTEL_ENABLED", "1", "DSPY_RLM_OTEL_METRICS_ENABLED", "0"))) {
            assertThat(otel(sinks).get("enabled").asBoolean()).isTrue();
            assertThat(otel(sinks).get("facts").get("metrics").asString()).isEqualTo("off");
            assertThat(sinks.err())
                    .hasLineCount(1)
                    .contains("DSPY_RLM_OTEL_ENABLED is an old name of RLM_OTEL_ENABLED, "
                            + "DSPY_RLM_OTEL_METRICS_ENABLED is an old name of RLM_OTEL_METRICS_ENABLED;"
                            + " where both are set the new name counts");
        }
    }

    @Test
    void newName_counts_whereBothAreSet() throws Exception {
        try (RlmProcess sinks = start(Map.of("DSPY_RLM_OTEL_ENABLED", "true", "RLM_OTEL_ENABLED", "false"))) {
            assertThat(otel(sinks).get("enabled").asBoolean()).isFalse();
            assertThat(sinks.err()).hasLineCount(1).contains("where both are set the new name counts");
        }
    }

    private RlmProcess start(Map<String, String> variables) throws Exception {
        Map<String, String> all = new HashMap<>(NOWHERE);
        all.putAll(variables);
        return RlmProcess.start(folder, all, "sinks", "--json").awaitSuccess();
    }

    private static JsonNode otel(RlmProcess process) throws Exception {
        for (JsonNode sink : new ObjectMapper().readTree(process.out()).get("sinks")) {
            if (sink.get("name").asString().equals("otel")) {
                return sink;
            }
        }
        throw new AssertionError(process.out());
    }
}
