package dev.rlm.sinks.otel.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpHistogram;
import dev.rlm.sinks.otel.backend.OtlpPoint;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What the GenAI semantic conventions have measured. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class GenAiMetricsTest {
    private static final Map<String, Object> CALL =
            Map.of("gen_ai.operation.name", "chat", "gen_ai.provider.name", "openai", "gen_ai.request.model", "gpt-9");

    private final String protocol;

    GenAiMetricsTest(String protocol) {
        this.protocol = protocol;
    }

    @Test
    void calls_areMeasuredAsTheConventionsSay() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                try (ModelCall call = step.startModelCall("openai", "gpt-9")) {
                    rig.clock().advanceMillis(100);
                    call.firstToken();
                    rig.clock().advanceMillis(400);
                    call.usage(new Usage(10L, 20L, 5L, 7L));
                }
                try (ModelCall call = step.startModelCall("openai", "gpt-9")) {
                    rig.clock().advanceMillis(250);
                    call.fail("no");
                }
                step.complete("");
                run.complete("");
            }
            rig.flush();

            List<OtlpHistogram> tokens = rig.receiver().histograms("gen_ai.client.token.usage");
            assertThat(tokens)
                    .extracting(OtlpPoint::attributes, OtlpHistogram::sum)
                    .containsExactlyInAnyOrder(
                            tuple(with("gen_ai.token.type", "input"), 10.0),
                            tuple(with("gen_ai.token.type", "output"), 20.0));
            assertThat(tokens.get(0).metric().unit()).isEqualTo("{token}");
            assertThat(tokens.get(0).bounds())
                    .containsExactly(
                            1.0,
                            4.0,
                            16.0,
                            64.0,
                            256.0,
                            1024.0,
                            4096.0,
                            16384.0,
                            65536.0,
                            262144.0,
                            1048576.0,
                            4194304.0,
                            16777216.0,
                            67108864.0);
            List<OtlpHistogram> durations = rig.receiver().histograms("gen_ai.client.operation.duration");
            assertThat(durations)
                    .extracting(OtlpPoint::attributes, OtlpHistogram::sum)
                    .containsExactlyInAnyOrder(tuple(CALL, 0.5), tuple(with("error.type", "model_call_failed"), 0.25));
            List<OtlpHistogram> firstChunks = rig.receiver().histograms("gen_ai.client.operation.time_to_first_chunk");
            assertThat(firstChunks)
                    .extracting(OtlpPoint::attributes, OtlpHistogram::sum)
                    .containsExactly(tuple(CALL, 0.1));
            assertThat(List.of(durations.get(0), firstChunks.get(0))).allSatisfy(point -> {
                assertThat(point.metric().unit()).isEqualTo("s");
                assertThat(point.bounds())
                        .containsExactly(
                                0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92);
            });
            assertThat(firstChunks.get(0).exemplars())
                    .singleElement()
                    .satisfies(exemplar -> assertThat(rig.receiver().spans("chat gpt-9"))
                            .extracting(span -> span.spanId())
                            .contains(exemplar.spanId()));
        }
    }

    private static Map<String, Object> with(String name, Object value) {
        Map<String, Object> labels = new HashMap<>(CALL);
        labels.put(name, value);
        return labels;
    }
}
