package dev.rlm.sinks.otel.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpHistogram;
import dev.rlm.sinks.otel.backend.OtlpNumber;
import dev.rlm.sinks.otel.backend.OtlpPoint;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of the GenAI conventions as the chosen versions have them. */
class GenAiVersionsTest {
    private static final String VERSIONS = "RLM_OTEL_SEMCONV";
    private static final String OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN";
    private static final Set<String> OF_1_36 =
            Set.of("gen_ai.system", "gen_ai.usage.cache_creation.input_tokens", "gen_ai.client.token.usage");
    private static final Set<String> OF_1_41 =
            Set.of("gen_ai.provider.name", "gen_ai.usage.cache_creation.input_tokens", "gen_ai.client.token.usage");
    private static final Set<String> OF_LATEST = Set.of(
            "gen_ai.provider.name",
            "gen_ai.usage.cache_write.input_tokens",
            "gen_ai.client.inference.usage.input_tokens");

    @ParameterizedTest
    @CsvSource({
        "RLM_OTEL_METRICS_ENABLED, true, 1.41",
        "RLM_OTEL_SEMCONV, 1.36, 1.36",
        "RLM_OTEL_SEMCONV, 1.41, 1.41",
        "RLM_OTEL_SEMCONV, latest, latest",
        "RLM_OTEL_SEMCONV, 'LATEST , 1.36', 1.36+latest",
        "RLM_OTEL_SEMCONV, '1.36,1.41', 1.36+1.41",
        "OTEL_SEMCONV_STABILITY_OPT_IN, gen_ai_latest_experimental, latest",
        "OTEL_SEMCONV_STABILITY_OPT_IN, 'http,gen_ai_latest_experimental', latest",
        "OTEL_SEMCONV_STABILITY_OPT_IN, gen_ai_latest_experimental/dup, 1.41+latest",
        "OTEL_SEMCONV_STABILITY_OPT_IN, gen_ai/dup, 1.41+latest",
        "OTEL_SEMCONV_STABILITY_OPT_IN, 'http/dup,database', 1.41",
    })
    void names_areThoseOfTheChosenVersions(String variable, String value, String versions) throws IOException {
        Set<String> expected = new TreeSet<>();
        for (String version : versions.split("\\+", -1)) {
            expected.addAll(version.equals("1.36") ? OF_1_36 : version.equals("1.41") ? OF_1_41 : OF_LATEST);
        }

        assertThat(sent(Map.of(variable, value))).isEqualTo(expected);
    }

    @Test
    void ownVariable_countsBeforeOpenTelemetrys() throws IOException {
        assertThat(sent(Map.of(VERSIONS, "1.36", OPT_IN, "gen_ai_latest_experimental")))
                .isEqualTo(new TreeSet<>(OF_1_36));
    }

    /** Which of the names that differ between versions are seen on the spans and metrics of a call. */
    private static Set<String> sent(Map<String, String> variables) throws IOException {
        Set<String> differing = new TreeSet<>(OF_1_36);
        differing.addAll(OF_1_41);
        differing.addAll(OF_LATEST);
        try (Rig rig = Rig.by(Rig.GRPC, variables)) {
            try (Run run = rig.startRun("r");
                    ModelCall call = run.startModelCall("openai", "gpt-9")) {
                call.usage(new Usage(10L, 20L, 5L, 7L, 3L));
            }
            Set<String> names =
                    new TreeSet<>(rig.span("chat gpt-9").attributes().keySet());
            rig.receiver().points().forEach(point -> names.add(point.metric().name()));
            names.retainAll(differing);
            return names;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.42", "1.41;latest", "1.36,"})
    void unknownVersion_isRefusedWithWhatIsAllowed(String value) {
        SinkConfig config = SinkConfig.of(Map.of(VERSIONS, value)).sink("otel");

        assertThatThrownBy(() -> new OtelSinkProvider().create(config))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage(VERSIONS + "=" + value
                        + " is not valid: expected one of 1.36, 1.41, latest, or several with commas between them");
    }

    @Test
    void latest_countsTokensByKindAndMeasuresEachCall() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of(VERSIONS, "latest"))) {
            try (Run run = rig.startRun("r")) {
                for (int i = 0; i < 2; i++) {
                    try (ModelCall call = run.startModelCall("openai", "gpt-9")) {
                        call.parameter("top_k", 40).usage(new Usage(10L, 20L, 5L, 7L, 3L));
                        rig.clock().advanceMillis(100);
                        call.firstToken();
                    }
                }
            }
            rig.flush();

            Map<String, Double> sums = rig.receiver().points().stream()
                    .filter(point -> point.metric().name().startsWith("gen_ai.client."))
                    .collect(Collectors.toMap(point -> point.metric().name(), GenAiVersionsTest::value));
            assertThat(sums)
                    .containsOnly(
                            Map.entry("gen_ai.client.inference.usage.input_tokens", 20.0),
                            Map.entry("gen_ai.client.inference.usage.output_tokens", 40.0),
                            Map.entry("gen_ai.client.inference.usage.cache_read.input_tokens", 10.0),
                            Map.entry("gen_ai.client.inference.usage.cache_write.input_tokens", 6.0),
                            Map.entry("gen_ai.client.inference.usage.reasoning.output_tokens", 14.0),
                            Map.entry("gen_ai.client.inference.operation.input_tokens", 20.0),
                            Map.entry("gen_ai.client.inference.operation.output_tokens", 40.0),
                            Map.entry("gen_ai.client.inference.duration", 0.2),
                            Map.entry("gen_ai.client.inference.time_to_first_chunk", 0.2));
            assertThat(rig.receiver().numbers("gen_ai.client.inference.usage.input_tokens"))
                    .singleElement()
                    .satisfies(tokens -> assertThat(tokens.attributes())
                            .isEqualTo(Map.of(
                                    "gen_ai.operation.name",
                                    "chat",
                                    "gen_ai.provider.name",
                                    "openai",
                                    "gen_ai.request.model",
                                    "gpt-9",
                                    "gen_ai.token.modality",
                                    "unknown")));
            assertThat(rig.receiver().spans("chat gpt-9"))
                    .allSatisfy(span -> assertThat(span.attributes()).containsEntry("gen_ai.request.top_k", 40L));
        }
    }

    private static double value(OtlpPoint point) {
        return point instanceof OtlpHistogram histogram
                ? histogram.sum()
                : ((OtlpNumber) point).value().doubleValue();
    }

    /** In every version: where a version has no name for it, the first name that there is. */
    @ParameterizedTest
    @ValueSource(strings = {"1.36", "1.41", "latest"})
    void agentsAndTools_areMeasured(String version) throws IOException {
        try (Rig rig = Rig.by(Rig.HTTP, Map.of(VERSIONS, version))) {
            try (Run run = rig.sinks()
                    .startRun(RunSpec.builder("calc")
                            .model("gpt-9")
                            .agent("solver", "1")
                            .build())) {
                try (Step step = run.startStep()) {
                    try (ModelCall call = step.startModelCall("openai", "gpt-9")) {
                        rig.clock().advanceMillis(100);
                    }
                    try (ToolCall call = step.startToolCall("calculator")) {
                        rig.clock().advanceMillis(200);
                        call.result("12");
                    }
                    try (ToolCall call = step.startToolCall("calculator")) {
                        rig.clock().advanceMillis(300);
                        call.fail(404, "no");
                    }
                    step.complete("");
                }
                run.complete("");
            }
            rig.flush();

            Map<String, Object> agent = Map.of("gen_ai.agent.name", "solver", "gen_ai.request.model", "gpt-9");
            assertThat(rig.receiver().histograms("gen_ai.invoke_agent.duration"))
                    .extracting(OtlpPoint::attributes, OtlpHistogram::sum)
                    .containsExactly(tuple(agent, 0.6));
            assertThat(rig.receiver()
                            .histograms("gen_ai.invoke_agent.duration")
                            .get(0)
                            .bounds())
                    .hasSize(13)
                    .startsWith(0.1, 0.2, 0.4)
                    .endsWith(204.8, 409.6);
            assertThat(rig.receiver().histograms("gen_ai.invoke_agent.inference_calls"))
                    .extracting(OtlpPoint::attributes, OtlpHistogram::sum)
                    .containsExactly(tuple(agent, 1.0));
            assertThat(rig.receiver().histograms("gen_ai.invoke_agent.tool_calls"))
                    .extracting(OtlpPoint::attributes, OtlpHistogram::sum)
                    .containsExactly(tuple(agent, 2.0));
            Map<String, Object> tool = Map.of(
                    "gen_ai.agent.name", "solver", "gen_ai.tool.name", "calculator", "gen_ai.tool.type", "function");
            Map<String, Object> failed = new HashMap<>(tool);
            failed.put("error.type", "404");
            assertThat(rig.receiver().histograms("gen_ai.execute_tool.duration"))
                    .extracting(OtlpPoint::attributes, OtlpHistogram::sum)
                    .containsExactlyInAnyOrder(tuple(tool, 0.2), tuple(failed, 0.3));
        }
    }
}
