package dev.rlm.sinks.otel.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.MlflowServer;
import dev.rlm.sinks.otel.backend.MlflowSpan;
import dev.rlm.sinks.otel.spans.Ids;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a real MLflow's page of a trace is given to show beside each span. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
@Timeout(120)
class MlflowPageTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    private static final MlflowServer mlflow = MlflowServer.create();

    @Test
    void spans_haveInputsAndOutputs() {
        String experiment = mlflow.createExperiment("page");
        SinkConfig config = SinkConfig.of(Map.of(
                        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                        mlflow.tracesEndpoint(),
                        "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
                        MlflowServer.header(experiment),
                        "OTEL_EXPORTER_OTLP_PROTOCOL",
                        Rig.HTTP,
                        "RLM_OTEL_METRICS_ENABLED",
                        "false"))
                .sink("otel");
        try (Sinks sinks = Sinks.builder()
                .add("otel", OtelSink.builder().config(config).build())
                .build()) {
            record(sinks.startRun(
                    RunSpec.builder("calc").runId("r").task("What is 3 * 4?").build()));
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }
        mlflow.awaitEnded(experiment, 1);

        assertThat(content("rlm.run", "mlflow.spanInputs")).isEqualTo("What is 3 * 4?");
        assertThat(content("rlm.run", "mlflow.spanOutputs")).isEqualTo("12");
        assertThat(shown("rlm.step", "mlflow.spanInputs").toString()).isEqualTo("{\"calculator\":\"3 * 4\"}");
        assertThat(shown("rlm.step", "mlflow.spanOutputs").toString()).isEqualTo("{\"output\":\"it is 12\"}");
        assertThat(shown("execute_tool calculator", "mlflow.spanInputs").toString())
                .isEqualTo("{\"expression\":\"3 * 4\"}");
        assertThat(shown("execute_tool calculator", "mlflow.spanOutputs").asString())
                .isEqualTo("it is 12");
        assertThat(shown("chat m", "mlflow.spanInputs").at("/0/parts/0/content").asString())
                .isEqualTo("Use a tool.");
        assertThat(shown("chat m", "mlflow.spanOutputs")
                        .at("/0/parts/0/content")
                        .asString())
                .isEqualTo("I do.");
    }

    private static String content(String span, String attribute) {
        return shown(span, attribute).at("/messages/0/content").asString();
    }

    /** What the page shows as a span's inputs or outputs. */
    private static JsonNode shown(String span, String attribute) {
        MlflowSpan found = mlflow.spans(Ids.of("r").traceId()).stream()
                .filter(each -> each.name().equals(span))
                .findFirst()
                .orElseThrow();
        return new JsonMapper().readTree(found.attributes().getOrDefault(attribute, "null"));
    }

    private static void record(Run run) {
        try (run;
                Step step = run.startStep()) {
            try (ModelCall call = step.startModelCall("openai", "m")) {
                call.message("user", "Use a tool.").reply("I do.");
            }
            try (ToolCall call = step.startToolCall("calculator")) {
                call.arguments("{\"expression\":\"3 * 4\"}").result("it is 12");
            }
            step.action("calculator", "3 * 4");
            step.complete("it is 12");
            run.complete("12");
        }
    }
}
