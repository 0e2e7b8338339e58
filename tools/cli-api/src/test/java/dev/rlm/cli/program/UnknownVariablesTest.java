package dev.rlm.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Told;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Variables that nothing reads are told, and those that something reads are not. */
class UnknownVariablesTest {
    private static final String VALUE = "a-value-that-is-nobodys-business";

    @ParameterizedTest
    @CsvSource({
        "RLM_OTEL_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT",
        "RLM_OTEL_EXPORTER_OTLP_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT",
        "RLM_OTEL_METRICS_ENABLE,RLM_OTEL_METRICS_ENABLED",
        "RLM_JSONL_DIRR,RLM_JSONL_DIR",
        "RLM_LOGLEVEL,RLM_LOG_LEVEL",
        "RLM_TRACE,RLM_TRACE_URL",
        "RLM_KEPT_FIEL,RLM_KEPT_FILE",
    })
    void misspeltName_isToldWithTheNearest_andWithoutItsValue(String name, String nearest) {
        Told run = run(Map.of(name, VALUE));

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEqualTo("warning: " + name + " is unknown; did you mean " + nearest + "?\n");
    }

    @Test
    void nameThatIsLikeNoOther_isToldToo() {
        assertThat(run(Map.of("RLM_TEAPOT", VALUE)).err())
                .isEqualTo("warning: RLM_TEAPOT is unknown: nothing reads it\n");
    }

    @Test
    void manyNames_areAFewLines() {
        Map<String, String> variables = new LinkedHashMap<>();
        for (char c = 'A'; c <= 'Z'; c++) {
            variables.put("RLM_TEAPOT_" + c, VALUE);
        }

        assertThat(run(variables).err().lines())
                .hasSize(11)
                .last()
                .isEqualTo("warning: 16 more variables that begin with RLM_ are unknown");
    }

    @Test
    void quietCommand_saysNothingOfThem() {
        assertThat(Told.by(Map.of("RLM_TEAPOT", VALUE), "greet", "--quiet").err())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RLM_GREET_TOKEN_SEARCH",
                "RLM_OTEL_CAPTURE_CONTENT",
                "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT",
                "RLM_JSONL_REQUIRED",
                "RLM_KEPT_URL",
                "RLM_HEARTBEAT",
                "OTEL_NO_SUCH_VARIABLE",
            })
    void nameThatSomethingReads_isNotTold(String name) {
        String value = name.endsWith("REQUIRED") ? "false" : name.endsWith("CONTENT") ? "none" : "http://localhost:1";
        assertThat(run(Map.of(name, name.endsWith("BEAT") ? "30s" : value)).err())
                .isEmpty();
    }

    @Test
    void settingsOfAFurtherSink_areNotTold_norIsTheVariableOfTheKey() {
        Map<String, String> variables = Map.of(
                "RLM_OTEL_LANGFUSE_ENABLED", "false",
                "RLM_OTEL_LANGFUSE_BSP_SCHEDULE_DELAY", "1",
                "RLM_MY_KEY", "plain-words");

        assertThat(Told.by(variables, "greet", "--key-env", "RLM_MY_KEY").err()).isEmpty();
        assertThat(Told.by(variables, "greet").err()).isEqualTo("warning: RLM_MY_KEY is unknown: nothing reads it\n");
    }

    private static Told run(Map<String, String> variables) {
        return Told.by(variables, "greet");
    }
}
