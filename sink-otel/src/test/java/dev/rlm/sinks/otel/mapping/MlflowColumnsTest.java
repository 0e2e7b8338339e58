package dev.rlm.sinks.otel.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only MLflow, or Langfuse, shows, which is there only for them. */
class MlflowColumnsTest {
    private static final Map<String, String> HEADER =
            Map.of("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-mlflow-experiment-id=0");

    private static void record(Rig rig) {
        RunSpec spec = RunSpec.builder("calc")
                .runId("r")
                .task("What is \"3 * 4\"?")
                .model("gpt")
                .tag("team", "blue")
                .correlation(Correlation.builder().sample("s7").build())
                .build();
        try (Run run = rig.sinks().startRun(spec)) {
            Step step = run.startStep();
            step.action("calculator", "3 * 4");
            step.complete("12");
            run.reward(1);
            run.complete("12");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Rig.GRPC, Rig.HTTP})
    void columns_withTheHeader_areFilled(String protocol) throws IOException {
        try (Rig rig = Rig.by(protocol, HEADER)) {
            record(rig);

            assertThat(rig.span("rlm.run").attributes())
                    .containsAllEntriesOf(Map.of(
                            "mlflow.spanInputs",
                            "{\"messages\":[{\"role\":\"user\",\"content\":\"What is \\\"3 * 4\\\"?\"}]}",
                            "mlflow.spanOutputs",
                            "{\"messages\":[{\"role\":\"assistant\",\"content\":\"12\"}]}",
                            "mlflow.traceTag.mlflow.traceName",
                            "calc s7",
                            "mlflow.traceTag.rlm.run_id",
                            "r",
                            "mlflow.traceTag.rlm.environment",
                            "calc",
                            "mlflow.traceTag.rlm.model",
                            "gpt",
                            "mlflow.traceTag.rlm.solved",
                            "true",
                            "mlflow.traceTag.rlm.outcome",
                            "completed",
                            "mlflow.traceTag.team",
                            "blue"));
            assertThat(rig.span("rlm.step").attributes())
                    .containsEntry("mlflow.spanType", "CHAIN")
                    .containsEntry("mlflow.spanInputs", "{\"calculator\":\"3 * 4\"}")
                    .containsEntry("mlflow.spanOutputs", "{\"output\":\"12\"}");
            assertThat(rig.span("rlm.run.started").attributes().keySet()).noneMatch(name -> name.startsWith("mlflow."));
        }
    }

    @Test
    void columns_withTheHeaderButWithoutContent_haveNoTexts() throws IOException {
        try (Rig rig = Rig.by(
                Rig.HTTP,
                Map.of(
                        "OTEL_EXPORTER_OTLP_HEADERS", "X-MLflow-Experiment-Id=0",
                        "RLM_CAPTURE_CONTENT", "none"))) {
            record(rig);

            assertThat(rig.span("rlm.run").attributes())
                    .containsKey("mlflow.traceTag.mlflow.traceName")
                    .doesNotContainKeys("mlflow.spanInputs", "mlflow.spanOutputs");
            assertThat(rig.span("rlm.step").attributes()).doesNotContainKeys("mlflow.spanInputs", "mlflow.spanOutputs");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OTEL_EXPORTER_OTLP_ENDPOINT, /api/public/otel, true",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, /api/public/otel/v1/traces, true",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, /v1/traces, false",
    })
    void conversation_ofARun_isSentWhereLangfuseIs(String variable, String path, boolean sent) throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                Rig rig = Rig.by(Rig.HTTP, Map.of(variable, receiver.httpEndpoint() + path))) {
            record(rig);
            rig.tryToFlush();

            assertThat(receiver.spans("rlm.run"))
                    .singleElement()
                    .satisfies(run -> assertThat(run.attributes().containsKey("gen_ai.input.messages"))
                            .isEqualTo(sent)
                            .isEqualTo(run.attributes().containsKey("gen_ai.output.messages")));
        }
    }

    @Test
    void columns_withoutTheHeader_areNot() throws IOException {
        try (Rig rig = Rig.by(Rig.HTTP)) {
            record(rig);

            assertThat(rig.spans().toString()).doesNotContain("mlflow");
        }
    }
}
