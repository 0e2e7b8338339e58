package dev.rlm.runner.reward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.Cli;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rewards in real journals, in what reads them, and in OpenTelemetry. */
@Timeout(300)
class RewardRecordTest {
    @TempDir
    private Path folder;

    /** A process whose reward function heeds nothing comes to its end, and says what it left behind. */
    @Tag("thorough")
    @Test
    void reward_thatHangs_isAbsentEverywhere() throws Exception {
        try (RlmProcess process = RlmProcess.start(
                folder,
                Map.of(),
                "run",
                "--samples=1",
                "--error-rate=0",
                "--reward=exact,probe",
                "--reward-timeout=200ms",
                "--timeout=1h",
                "--set=probe.does=hang")) {
            process.awaitSuccess();
            assertThat(process.out())
                    .contains("absent   4 of the runs have an absent reward and are in no mean reward")
                    .doesNotContain("stuck");
            assertThat(process.err())
                    .contains("4 computations of rewards took too long and did not stop when they were told to");
        }

        String journal = folder.resolve(".rlm").toString();
        Journal read = Journal.open(folder.resolve(".rlm"));
        assertThat(read.runs()).hasSize(4);
        String run = read.runs().get(0).run().runId();
        assertThat(Cli.with(Map.of(), "list", "--journal", journal).out()).containsPattern("no +\\d+ +absent");
        assertThat(Cli.with(Map.of(), "show", run, "--journal", journal).out())
                .contains("absent: probe: it took longer than 200ms", "reward absent");
        assertThat(Cli.with(Map.of(), "report", "--journal", journal).out())
                .contains("probe: it took longer than 200ms")
                .contains("4 runs have an absent reward and is in no mean reward");
    }

    @Test
    void reward_isASpan_andWhatIsCalledInItIsCalledThere() throws Exception {
        ProbeReward.SPANS.clear();
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            Map<String, String> variables = Map.of(
                    "RLM_JSONL_ENABLED", "false",
                    "RLM_OTEL_ENABLED", "true",
                    "RLM_OTEL_METRICS_ENABLED", "false",
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.grpcEndpoint());
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
