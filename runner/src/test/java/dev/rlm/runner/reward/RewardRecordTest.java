package dev.rlm.runner.reward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rewards in real journals, in what reads them, and in OpenTelemetry. */
@Timeout(300)
class RewardRecordTest {
    @Test
    void reward_isASpan_andWhatIsCalledInItIsCalledThere() throws Exception {
        ProbeReward.SPANS.clear();
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            Map<String, String> variables = Map.of(
                    "RLM_JSONL_ENABLED", "false",
                    "RLM_OTEL_ENABLED", "true",
                    "RLM_OTEL_METRICS_ENABLED", "false",
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());
            Cli.with(
                    variables,
                    "run",
                    "--samples=1",
                    "--error-rate=0",
                    "--reward=exact,probe=0.5",
                    "--step-reward=probe=-0.5",
                    "--set=probe.does=call");

            Set<String> runs =
                    receiver.spans("rlm.run").stream().map(OtlpSpan::spanId).collect(Collectors.toSet());
            Set<String> steps =
                    receiver.spans("rlm.step").stream().map(OtlpSpan::spanId).collect(Collectors.toSet());
            assertThat(receiver.spans("rlm.reward"))
                    .hasSize(runs.size() + steps.size())
                    .extracting(OtlpSpan::spanId)
                    .containsExactlyInAnyOrderElementsOf(ProbeReward.SPANS);
            assertThat(receiver.spans("rlm.reward"))
                    .filteredOn(span -> runs.contains(span.parentId()))
                    .hasSize(4)
                    .allSatisfy(span -> assertThat(span.attributes())
                            .containsEntry("rlm.reward", 1.5)
                            .containsEntry("gen_ai.evaluation.name", "reward")
                            .containsEntry("rlm.reward.component.probe", 1.0)
                            .containsEntry("rlm.reward.weight.probe", 0.5));
            assertThat(receiver.spans("rlm.reward"))
                    .filteredOn(span -> steps.contains(span.parentId()))
                    .hasSameSizeAs(steps)
                    .allSatisfy(span -> assertThat(span.attributes()).containsEntry("rlm.reward", -0.5));
            assertThat(receiver.spans("execute_tool judge"))
                    .extracting(OtlpSpan::parentId)
                    .containsExactlyInAnyOrderElementsOf(ProbeReward.SPANS);
        }
    }
}
