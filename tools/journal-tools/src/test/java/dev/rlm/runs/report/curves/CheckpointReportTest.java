package dev.rlm.runs.report.curves;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Evaluations: which checkpoint is best. */
class CheckpointReportTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
    }

    private void evaluation(String split, String version, int solved) {
        evaluation("a", split, version, solved, 10);
    }

    /** Two attempts at each sample, the first of which have a reward of 1. */
    private void evaluation(String model, String split, String version, int solved, int samples) {
        try (Sinks sinks = recorded.open()) {
            for (int sample = 0; sample < samples; sample++) {
                for (int attempt = 0; attempt < 2; attempt++) {
                    Correlation ids = Correlation.builder()
                            .sample("s" + sample)
                            .split(split)
                            .policyVersion(version)
                            .build();
                    try (Run run = sinks.startRun(RunSpec.builder("shop")
                            .model(model)
                            .correlation(ids)
                            .build())) {
                        run.reward(sample < solved ? 1 : 0);
                        run.complete(null);
                    }
                }
            }
        }
    }

    private static JsonNode version(JsonNode report, String version) {
        return StreamSupport.stream(report.get("checkpoints").spliterator(), false)
                .filter(each -> each.get("policy_version").asString().equals(version))
                .findFirst()
                .orElseThrow(() -> new AssertionError(report.toString()));
    }

    @Test
    void bestCheckpoint_isTheOneWithTheHighestMean_andLaterOnesAreComparedWithIt() {
        evaluation("validation", "v2", 4);
        evaluation("validation", "v9", 7);
        evaluation("validation", "v10", 6);
        evaluation("validation", "v11", 1);
        evaluation("train", "v12", 8);

        JsonNode report = recorded.json("--curves");

        assertThat(report.get("checkpoints"))
                .extracting(each -> each.get("policy_version").asString() + " "
                        + each.get("best").asBoolean() + " "
                        + each.get("surely_worse").asBoolean() + " "
                        + each.get("compared_samples").asInt())
                .containsExactly("v2 false false 0", "v9 true false 0", "v10 false false 10", "v11 false true 10");
        JsonNode best = version(report, "v9");
        assertThat(best.get("mean_at_k").asDouble()).isCloseTo(0.7, within(1e-12));
        assertThat(best.get("mean_at_k_se").asDouble()).isCloseTo(Math.sqrt(10.0 / 9 * 2.1) / 10, within(1e-12));
        assertThat(best.get("k").asDouble()).isEqualTo(2);
        assertThat(best.get("samples").asInt()).isEqualTo(10);
        assertThat(version(report, "v11").get("difference").asDouble()).isCloseTo(-0.6, within(1e-12));
        assertThat(recorded.report("--curves").out())
                .contains("BEST CHECKPOINT, AND THOSE AFTER IT")
                .containsPattern("validation +a +v9 +0.70 ± 0.15 +2 +10 +- +- +best")
                .containsPattern("validation +a +v11 .* surely worse")
                .containsPattern("validation +a +v10 .* not surely worse")
                .doesNotContainPattern("validation +a +v2 ");
    }

    @Test
    void bestCheckpoint_isOne_forAllModelsAndSplits() {
        evaluation("step-1", "validation", "v1", 4, 10);
        evaluation("step-2", "validation", "v2", 8, 10);
        evaluation("step-3", "validation", "v3", 2, 10);
        evaluation("step-1", "test", "v1", 9, 20);
        evaluation("step-2", "test", "v2", 7, 20);
        evaluation("step-3", "test", "v3", 7, 20);

        assertThat(recorded.json("--curves").get("checkpoints"))
                .extracting(each -> each.get("split").asString() + " "
                        + each.get("model").asString() + " "
                        + each.get("best").asBoolean() + " "
                        + each.get("compared_samples").asInt())
                .containsExactly(
                        "test step-1 false 0",
                        "test step-2 true 0",
                        "test step-3 false 20",
                        "validation step-1 false 0",
                        "validation step-2 true 0",
                        "validation step-3 false 10");
    }

    @Test
    void fewSamples_showNothingForSure() {
        evaluation("a", "validation", "v1", 9, 9);
        evaluation("a", "validation", "v2", 0, 9);

        JsonNode worse = version(recorded.json("--curves"), "v2");

        assertThat(worse.get("high").asDouble()).isNegative();
        assertThat(worse.get("surely_worse").asBoolean()).isFalse();
        assertThat(recorded.report("--curves").out()).contains("not surely worse");
    }

    @Test
    void journalWithoutEvaluations_hasNoCheckpoints() {
        evaluation("train", "v1", 8);
        assertThat(recorded.json("--curves").get("checkpoints")).isEmpty();
        assertThat(recorded.report("--curves").out()).doesNotContain("CHECKPOINT");
    }
}
