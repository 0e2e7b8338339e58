package dev.rlm.journal.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.launcher.Cli;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.MetricsReported;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Evaluations: what {@code rlm run} reports of one, and which checkpoint is best. */
class CheckpointReportTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
    }

    /** Two attempts at each of eight samples, the first of which have a reward of 1. */
    private void evaluation(String split, String version, int solved) {
        for (int sample = 0; sample < 8; sample++) {
            for (int attempt = 0; attempt < 2; attempt++) {
                double reward = sample < solved ? 1 : 0;
                Correlation ids = Correlation.builder()
                        .sample("s" + sample)
                        .split(split)
                        .policyVersion(version)
                        .build();
                recorded.record(RunSpec.builder("shop").model("a").correlation(ids), run -> {
                    run.reward(reward);
                    run.complete(null);
                });
            }
        }
    }

    private static JsonNode version(JsonNode report, String version) {
        return StreamSupport.stream(report.get("checkpoints").spliterator(), false)
                .filter(each -> each.get("policy_version").asString().equals(version))
                .findFirst()
                .orElseThrow(() -> new AssertionError(report.toString()));
    }

    @Tag("thorough")
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
                .containsExactly("v2 false false 0", "v9 true false 0", "v10 false false 8", "v11 false true 8");
        JsonNode best = version(report, "v9");
        assertThat(best.get("mean_at_k").asDouble()).isEqualTo(7.0 / 8);
        assertThat(best.get("mean_at_k_se").asDouble()).isCloseTo(0.125, within(1e-12));
        assertThat(best.get("k").asDouble()).isEqualTo(2);
        assertThat(best.get("samples").asInt()).isEqualTo(8);
        assertThat(version(report, "v11").get("difference").asDouble()).isEqualTo(-0.75);
        assertThat(recorded.report("--curves").out())
                .contains("BEST CHECKPOINT, AND THOSE AFTER IT")
                .containsPattern("validation +a +v9 +0.88 ± 0.13 +2 +8 +- +- +best")
                .containsPattern("validation +a +v11 .* surely worse")
                .containsPattern("validation +a +v10 .* not surely worse")
                .doesNotContainPattern("validation +a +v2 ");
    }

    @Test
    void journalWithoutEvaluations_hasNoCheckpoints() {
        evaluation("train", "v1", 8);
        assertThat(recorded.json("--curves").get("checkpoints")).isEmpty();
        assertThat(recorded.report("--curves").out()).doesNotContain("CHECKPOINT");
    }

    @ParameterizedTest
    @CsvSource({"validation, 12, policy_version, 12", "test, v12, step, 7"})
    void job_onASplitThatIsEvaluated_reportsTheNumbersOfAnEvaluator(
            String split, String version, String field, int progress) {
        run("--split", split, "--policy-version", version, "--train-step", "7", "--error-rate", "0");

        JsonNode metrics = recorded.json("--metrics").get("metrics");

        assertThat(metrics)
                .extracting(metric -> metric.get("name").asString())
                .containsAll(MetricsReported.EVALUATOR_VALUES);
        assertThat(metrics).allSatisfy(metric -> {
            assertThat(metric.get("category").asString()).isEqualTo("evaluator");
            assertThat(metric.get("step_field").asString()).isEqualTo(field);
            assertThat(metric.at("/steps/0").asInt()).isEqualTo(progress);
        });
        JsonNode all = recorded.json().get("all");
        assertThat(value(metrics, "episodes")).isEqualTo(6);
        assertThat(value(metrics, "mean_return"))
                .isCloseTo(all.get("mean_reward").asDouble(), within(1e-12));
        assertThat(value(metrics, "min_return")).isEqualTo(all.get("min_reward").asDouble());
        assertThat(value(metrics, "max_return")).isEqualTo(all.get("max_reward").asDouble());
        assertThat(value(metrics, "episode_length_mean"))
                .isEqualTo(all.get("steps").asDouble() / 6);
        assertThat(value(metrics, "duration_ms")).isNotNegative();
    }

    private static double value(JsonNode metrics, String name) {
        return StreamSupport.stream(metrics.spliterator(), false)
                .filter(metric -> metric.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .at("/values/0")
                .asDouble();
    }

    @Test
    void job_thatEvaluatesNothing_reportsNothing() {
        run("--split", "train", "--train-step", "7");
        run();
        assertThat(recorded.json("--metrics").get("metrics")).isEmpty();
    }

    @Test
    void evaluation_withoutAPlaceInTraining_isAtStep0() {
        run("--split", "validation");
        assertThat(recorded.json("--metrics").at("/metrics/0/steps").toString()).isEqualTo("[0.0]");
    }

    private void run(String... options) {
        Cli run = Cli.with(
                Map.of("RLM_JSONL_DIR", directory.toString()),
                Stream.concat(Stream.of("run", "--samples", "3", "--rollouts", "2"), Stream.of(options))
                        .toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }
}
