package dev.rlm.runs.report.curves;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.RewardComponent;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Curves along training, as {@code rlm report --curves} draws them. */
class CurveReportTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
    }

    private void run(CorrelationBuilder ids, double reward, Map<String, Double> metrics) {
        RunSpec.Builder spec =
                RunSpec.builder("shop").model("a").correlation(ids.sample("s1").build());
        recorded.record(spec, run -> {
            run.reward("judge", reward, List.of(new RewardComponent("accuracy", reward / 2, 1, null)));
            run.reward("tests", 0, List.of(new RewardComponent("accuracy", 1, 1, null)));
            metrics.forEach(run::metric);
            run.complete(null);
        });
    }

    private static CorrelationBuilder step(long step) {
        return Correlation.builder().trainStep(step);
    }

    private static JsonNode curve(JsonNode report, String... names) {
        return StreamSupport.stream(report.get("curves").spliterator(), false)
                .filter(curve -> Stream.of(names)
                        .allMatch(name -> List.of(
                                        curve.get("kind").asString(),
                                        curve.path("source").asString(""),
                                        curve.get("name").asString())
                                .contains(name)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(report.toString()));
    }

    @Test
    void numbers_areAveragedAndSummedUp_byStepOfTraining() {
        run(step(9), 1, Map.of("turns_used", 2.0));
        run(step(9), 0, Map.of("turns_used", 4.0));
        run(step(10), 1, Map.of("turns_used", Double.NaN, "lost", 1.0));
        try (Sinks sinks = recorded.open()) {
            sinks.metrics("trainer", Map.of("global_step", 9, "loss", 0.5));
            sinks.metrics("trainer", Map.of("global_step", 10, "loss", 0.25));
            sinks.metrics("actor", Map.of("policy_version", 3, "lag", 1));
        }

        JsonNode report = recorded.json("--curves");

        assertThat(report.get("x_axis").asString()).isEqualTo("train_step");
        assertThat(report.get("runs").asInt()).isEqualTo(3);
        assertThat(report.get("reports_without_place").asInt()).isEqualTo(1);
        assertThat(curve(report, "run_metric", "turns_used").toString())
                .isEqualTo(
                        "{\"kind\":\"run_metric\",\"source\":null,\"name\":\"turns_used\",\"unit\":null,"
                                + "\"values\":2,\"not_finite\":1,\"spread\":1.4142135623730951,\"trend\":null,\"trend_se\":null,"
                                + "\"points\":["
                                + "{\"train_step\":9,\"mean\":3.0,\"sum\":6.0,\"count\":2,\"not_finite\":0,\"standard_deviation\":1.4142135623730951},"
                                + "{\"train_step\":10,\"mean\":null,\"sum\":0.0,\"count\":0,\"not_finite\":1,\"standard_deviation\":null}]}");
        assertThat(curve(report, "run", "reward").at("/points/0/mean").asDouble())
                .isEqualTo(0.5);
        assertThat(curve(report, "run", "solved").at("/points/1/count").asInt()).isEqualTo(1);
        assertThat(curve(report, "reward", "judge").at("/points/0/mean").asDouble())
                .isEqualTo(0.5);
        assertThat(curve(report, "judge", "accuracy").at("/points/0/mean").asDouble())
                .isEqualTo(0.25);
        assertThat(curve(report, "tests", "accuracy").at("/points/0/mean").asDouble())
                .isEqualTo(1);
        assertThat(curve(report, "trainer", "loss").at("/points/1/mean").asDouble())
                .isEqualTo(0.25);
    }

    @Test
    void curves_areDrawn_byKind() {
        run(step(0), 0, Map.of("turns_used", 1.0));
        run(step(1), 1, Map.of("turns_used", 5.0));
        run(Correlation.builder(), 1, Map.of());

        Cli report = recorded.report("--curves");

        assertThat(report.exitCode()).as(report.err()).isZero();
        assertThat(report.out())
                .startsWith("3 of 3 runs in " + directory)
                .containsSubsequence(
                        "RUNS, TRAIN-STEP 0 TO 1",
                        "PARTS OF REWARDS, TRAIN-STEP 0 TO 1",
                        "RUN METRICS, TRAIN-STEP 0 TO 1")
                .containsPattern("reward +2 +2 +0 +1 +0 +1 +1 +\\+1 +__##")
                .containsPattern("turns_used +2 +2 +1 +5 +1 +5 +6 +\\+4 +__##")
                .containsPattern("judge +accuracy +2 +2 +0 +0.5 +0 +0.5 +0.5 +\\+0.5 +__##")
                .contains("1 run tells no train-step: in no curve")
                .doesNotContain("looks unbounded");
    }

    @Test
    void spreadIsWithinPlaces_andTrendIsALineThroughTheirMeans() {
        for (double reward : new double[] {0, 2, 1, 3, 5, 3}) {
            run(step(reward < 3 && reward != 1 ? 0 : 10), reward, Map.of());
        }
        JsonNode reward = curve(recorded.json("--curves"), "run", "reward");
        assertThat(reward.get("spread").asDouble()).isEqualTo(Math.sqrt((2 + 8.0) / 4));
        assertThat(reward.get("trend").asDouble()).isEqualTo(0.2);
        assertThat(reward.get("trend_se").isNull()).isTrue();
        assertThat(recorded.report("--curves").out())
                .containsPattern("reward .*1\\.581 +\\+0\\.2 ")
                .contains("by how much the means grow a place");
    }

    @Test
    void trend_overTime_isByTheHour() {
        run(Correlation.builder(), 0, Map.of());
        try (Sinks sinks = recorded.open()) {
            sinks.metrics("trainer", Map.of("loss", 1));
        }
        assertThat(recorded.report("--curves").out()).contains("by how much the means grow an hour");
    }

    @ParameterizedTest
    @CsvSource({"epoch, 2", "policy-version, v2", "policy-version, v10", "time, 2026-03-01T10:20:30Z"})
    void axis_isTheOneThatIsAskedFor(String axis, String place) {
        run(Correlation.builder().epoch(2).policyVersion("v10"), 1, Map.of());
        run(Correlation.builder().epoch(2).policyVersion("v2"), 1, Map.of());

        JsonNode report = recorded.json("--curves", "--x-axis", axis);

        assertThat(curve(report, "run", "reward").get("points"))
                .extracting(point -> point.get(axis.replace('-', '_')).asString())
                .contains(place);
        assertThat(recorded.json("--curves").get("x_axis").asString()).isEqualTo("epoch");
    }

    @Test
    void versions_areInTheOrderOfTheirNumbers() {
        for (String version : List.of("v10", "v9", "v2")) {
            run(Correlation.builder().policyVersion(version), 1, Map.of());
        }
        assertThat(curve(recorded.json("--curves"), "run", "reward").get("points"))
                .extracting(point -> point.get("policy_version").asString())
                .containsExactly("v2", "v9", "v10");
    }

    @Test
    void csv_hasALineForEachPoint() {
        run(step(1), 1, Map.of("turns_used", 2.0));
        run(step(2), 0, Map.of());
        assertThat(recorded.report("--curves", "--csv").out().lines())
                .startsWith(
                        "kind,source,name,unit,train_step,mean,sum,count,not_finite,standard_deviation",
                        "run,,reward,,1,1.0,1.0,1,0,")
                .contains("run,,reward,,2,0.0,0.0,1,0,", "reward_part,judge,accuracy,,1,0.5,0.5,1,0,")
                .endsWith("run_metric,,turns_used,,1,2.0,2.0,1,0,");
    }

    @Test
    void names_thatAreManyOrUnbounded_areHintedAt() {
        for (int i = 0; i < 12; i++) {
            run(step(i), 1, Map.of("score_" + i, 1.0));
        }
        run(step(0), 1, Map.of("of 3f2b8c1e-77aa-4c0d-9e55-0123456789ab", 1.0));
        assertThat(recorded.json("--curves").get("hints"))
                .extracting(JsonNode::asString)
                .satisfiesExactly(
                        hint -> assertThat(hint).startsWith("Run metrics: 13 names"),
                        hint -> assertThat(hint).contains("'of 3f2b8c1e-77aa-4c0d-9e55-0123456789ab' looks unbounded"),
                        hint -> assertThat(hint).contains("12 names differ in numbers alone, such as 'score_0'"));
        assertThat(recorded.report("--curves").out()).contains("Run metrics: 13 names");
    }

    @Test
    void numbers_ofTrainingAlone_areDrawn_alsoWhereStepsAreNegative() {
        try (Sinks sinks = recorded.open()) {
            sinks.metrics("trainer", Map.of("step", -2, "loss", 3));
            sinks.metrics("trainer", Map.of("step", 1, "loss", 1));
        }
        assertThat(recorded.report("--curves").out())
                .contains("REPORTED NUMBERS, TRAIN-STEP -2 TO 1")
                .containsPattern("trainer +loss +2 +2 +3 +1 +1 +3 +4 +-0.6667 +##__");
    }

    @Test
    void filters_chooseRuns() {
        run(step(1), 1, Map.of());
        run(step(2), 0, Map.of());
        assertThat(curve(recorded.json("--curves", "--reward", "1.."), "run", "reward")
                        .get("points"))
                .hasSize(1);
        assertThat(recorded.json("--curves", "--model", "b").get("curves")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--by=model", "--against=model=a", "--k=2"})
    void option_thatSaysNothingOfCurves_isRefused(String option) {
        assertThat(recorded.report("--curves", option).err())
                .isEqualToIgnoringNewLines("rlm: --curves does not take " + option.replaceFirst("=.*", ""));
    }

    @Test
    void axis_thatIsNotKnownOrNotAskedFor_isSaidInOneLine() {
        assertThat(recorded.report("--curves", "--x-axis", "day").err())
                .contains("'day' is not known: known are train-step, epoch, policy-version, time");
        assertThat(recorded.report("--x-axis", "epoch").err()).contains("a report of runs does not take --x-axis");
    }
}
