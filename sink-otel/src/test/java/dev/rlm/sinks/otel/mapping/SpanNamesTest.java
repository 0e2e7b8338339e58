package dev.rlm.sinks.otel.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the spans of runs and steps are named. */
class SpanNamesTest {
    private static final Map<String, String> SEMANTIC = Map.of("RLM_OTEL_SPAN_NAMES", "semantic");

    @Test
    void names_unlessSaid_areTheUsual() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC)) {
            record(rig.startRun("r"));

            assertThat(names(rig))
                    .containsExactlyInAnyOrder(
                            "rlm.run.started", "execute_tool search", "rlm.step", "rlm.step", "rlm.step", "rlm.run");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Rig.GRPC, Rig.HTTP})
    void names_thatAreSemantic_tellWhatWasDone(String protocol) throws IOException {
        try (Rig rig = Rig.by(protocol, SEMANTIC)) {
            record(rig.startRun("r"));

            assertThat(names(rig))
                    .containsExactlyInAnyOrder(
                            "rlm.run.started",
                            "execute_tool search",
                            "browse search",
                            "submit",
                            "rlm.step",
                            "invoke_agent calc");
        }
    }

    @Test
    void names_withAnInjectedOpenTelemetry_areRightAtTheEnd() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                        .setTracerProvider(SdkTracerProvider.builder()
                                .addSpanProcessor(BatchSpanProcessor.builder(OtlpGrpcSpanExporter.builder()
                                                .setEndpoint(receiver.grpcEndpoint())
                                                .build())
                                        .setScheduleDelay(Duration.ofMillis(20))
                                        .build())
                                .build())
                        .build();
                Sinks sinks = Sinks.builder()
                        .add(
                                "otel",
                                OtelSink.builder()
                                        .openTelemetry(telemetry)
                                        .spanNames(SpanNames.SEMANTIC)
                                        .build())
                        .build()) {
            record(sinks.startRun(RunSpec.builder("calc").build()));
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();

            assertThat(receiver.awaitSpans(6))
                    .extracting(OtlpSpan::name)
                    .contains("browse search", "submit", "invoke_agent calc")
                    .doesNotContain("rlm.run");
        }
    }

    @Test
    void name_ofARun_isItsAgentsWhereItHasOne() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, SEMANTIC)) {
            record(rig.sinks()
                    .startRun(RunSpec.builder("calc").agent("solver", null).build()));

            assertThat(names(rig)).contains("invoke_agent solver");
        }
    }

    @Test
    void names_ofAFurtherSink_areItsOwn() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                Sinks sinks = Sinks.builder()
                        .config(SinkConfig.of(Map.of(
                                "RLM_OTEL_TWO_ENABLED", "true",
                                "RLM_OTEL_TWO_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint(),
                                "RLM_OTEL_TWO_SPAN_NAMES", "semantic")))
                        .only(List.of("otel-two"))
                        .build()) {
            record(sinks.startRun(RunSpec.builder("calc").build()));
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();

            assertThat(receiver.spans("invoke_agent calc")).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "click(12), click",
        "'calculator+submit', calculator",
        "'go to https://a.b/c?d', go",
        "'run_python', run_python",
        "'  ', rlm.step",
    })
    void step_isNamedByTheFirstWordOfItsAction(String action, String name) throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, SEMANTIC)) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                step.action(action, "");
                step.complete("");
                run.complete("");
            }

            assertThat(names(rig)).contains(name);
        }
    }

    @Test
    void action_thatIsNamedAsItsTool_isSaidOnce_andCut() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, SEMANTIC)) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                step.startToolCall("t".repeat(100)).close();
                step.action("t".repeat(100), "");
                step.complete("");
                run.complete("");
            }

            assertThat(names(rig)).contains("t".repeat(64));
        }
    }

    @Test
    void names_ofSteps_areAHundredAtTheMost() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, SEMANTIC)) {
            try (Run run = rig.startRun("r")) {
                for (int i = 0; i < 150; i++) {
                    try (Step step = run.startStep()) {
                        step.action("made_up_" + i, "");
                        step.complete("");
                    }
                }
                run.complete("");
            }

            List<String> names = names(rig);
            assertThat(names).contains("made_up_99").doesNotContain("made_up_100");
            assertThat(names.stream().filter("rlm.step"::equals)).hasSize(50);
        }
    }

    @Test
    void value_thatIsNone_isRefused() {
        SinkConfig config =
                SinkConfig.of(Map.of("RLM_OTEL_SPAN_NAMES", "pretty")).sink("otel");
        assertThatThrownBy(() -> new OtelSinkProvider().create(config))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_OTEL_SPAN_NAMES")
                .hasMessageContaining("rlm, semantic");
    }

    private static List<String> names(Rig rig) {
        return rig.spans().stream().map(OtlpSpan::name).toList();
    }

    /** A step that calls a tool, one that does not, and one that the run's end ends. */
    private static void record(Run run) {
        try (Step step = run.startStep()) {
            step.startToolCall("search").close();
            step.action("browse", "cats");
            step.complete("");
        }
        try (Step step = run.startStep()) {
            step.action("submit", "12");
            step.complete("");
        }
        run.startStep();
        run.complete("12");
    }
}
