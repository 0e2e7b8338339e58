package dev.rlm.runs.report.curves;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.MetricsReported;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The numbers of training as {@code rlm report --metrics} tells them. */
class TrainingReportTest {
    private static final Map<String, String> LABELS =
            Map.of("RLM_METRIC_LABELS", "global_grad_norm=Grad Norm,steps_per_second = SPS");

    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
    }

    private void report(String category, Map<String, ? extends Number> values) {
        try (Sinks sinks = recorded.open()) {
            assertThat(sinks.metrics(category, values)).isTrue();
        }
    }

    /** A number by its steps, in this order. */
    private void series(String name, double... stepsAndValues) {
        try (Sinks sinks = recorded.open()) {
            for (int i = 0; i < stepsAndValues.length; i += 2) {
                sinks.metrics("trainer", Map.of("global_step", stepsAndValues[i], name, stepsAndValues[i + 1]));
            }
        }
    }

    private static String line(Cli report, String name) {
        assertThat(report.exitCode()).as(report.err()).isZero();
        return report.out()
                .lines()
                .filter(line -> line.startsWith(name) || line.startsWith("| " + name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(report.out()));
    }

    private static String curve(Cli report, String name) {
        String line = line(report, name);
        return line.startsWith("|")
                ? line.replaceFirst(".*\\| ([^|]*) \\|$", "$1")
                : line.substring(line.lastIndexOf("  ") + 2);
    }

    @Test
    void numbers_areLinesWithACurve_byCategoryAndStep() {
        series("loss", 0, 2.5, 1, 1.5, 2, 0.5);
        report("actor", Map.of("timesteps", 1_000, "fps", 1.25e-7));

        Cli report = recorded.report("--metrics");

        assertThat(report.out())
                .startsWith("4 reports of numbers of training in " + directory)
                .containsSubsequence("TRAINER, GLOBAL_STEP 0 TO 2", "ACTOR, TIMESTEPS 1000 TO 1000")
                .contains("curves go from each number's min to its max")
                .doesNotContain("not finite", "reported again");
        assertThat(line(report, "Loss")).matches("Loss +3 +2.5 +0.5 +0.5 +2.5 +##==__");
        assertThat(line(report, "Frames"))
                .matches("Frames per second \\(fps\\) +1 +1.250e-07 +1.250e-07 +1.250e-07 +1.250e-07 +==");
    }

    @Test
    void curve_isDrawnWithBlocks_inMarkdown() {
        series("loss", 0, 7, 1, 5, 2, 2, 3, 0);
        assertThat(curve(recorded.report("--metrics", "--markdown"), "Loss")).isEqualTo("██▆▆▃▃▁▁");
    }

    @Test
    void points_areInTheOrderOfTheirSteps_theLastOfAStepCounts() {
        series("loss", 2, 3, 1, 2, 2, 9, 0, 1);
        series("loss", 2, 4); // another process

        Cli report = recorded.report("--metrics");

        assertThat(line(report, "Loss")).matches("Loss +3 +1 +4 +1 +4 +__--##");
        assertThat(report.out()).contains("2 values were reported again for the same step: the last counts");
        assertThat(recorded.json("--metrics").at("/metrics/0/values").toString())
                .isEqualTo("[1.0,2.0,4.0]");
    }

    @Test
    void values_thatAreNotFinite_areCountedAndInNoCurve() {
        series("loss", 0, 1, 1, Double.NaN, 2, Double.NEGATIVE_INFINITY, 3, 2);
        series("lost", 0, Double.NaN, 3, Double.NaN);

        Cli report = recorded.report("--metrics");

        assertThat(line(report, "number")).contains("points", "not finite");
        assertThat(line(report, "Loss")).matches("Loss +4 +2 +1 +2 +1 +2 +__    ##");
        assertThat(line(report, "lost")).matches("lost +2 +2 +- +- +- +-");
        assertThat(report.out()).contains("NaN and infinite values are in no curve");
        assertThat(recorded.json("--metrics").at("/metrics/0/values").toString())
                .isEqualTo("[1.0,null,null,2.0]");
        assertThat(recorded.json("--metrics").at("/metrics/1/min").isNull()).isTrue();
    }

    @Test
    void peaks_areSeen_howeverManyPointsThereAre() {
        double[] points = new double[2 * 5_000];
        for (int i = 0; i < 5_000; i++) {
            points[2 * i] = i;
            points[2 * i + 1] = i == 1_234 ? 100 : i == 4_990 ? -100 : 0;
        }
        series("loss", points);
        assertThat(curve(recorded.report("--metrics"), "Loss"))
                .isEqualTo("=".repeat(9) + "#" + "=".repeat(29) + "_")
                .hasSize(40);
    }

    @Test
    void curve_leavesStepsBlankThatHaveNoValue() {
        series("every", 0, 1, 1, 2, 2, 1, 3, 2);
        series("seldom", 0, 1, 3, 2);
        assertThat(curve(recorded.report("--metrics", "--markdown"), "seldom")).isEqualTo("▁▁    ██");
    }

    @Test
    void evaluatorValues_comeInTheirOwnOrder() {
        Map<String, Double> values = new LinkedHashMap<>(Map.of("step", 1.0, "accuracy", 0.5));
        MetricsReported.EVALUATOR_VALUES.forEach(name -> values.put(name, 1.0));
        report("evaluator", values);
        assertThat(recorded.json("--metrics").get("metrics"))
                .extracting(each -> each.get("name").asString())
                .containsExactly(
                        "episodes",
                        "mean_return",
                        "max_return",
                        "min_return",
                        "episode_length_mean",
                        "episode_length_max",
                        "episode_length_min",
                        "duration_ms",
                        "accuracy");
    }

    @Test
    void labels_areShownBesideTheNames() {
        report("trainer", Map.of("step", 1, "global_grad_norm", 0.5, "steps_per_second", 12));
        Cli report = metrics(LABELS);
        assertThat(report.out()).contains("Grad Norm (global_grad_norm)", "SPS (steps_per_second)");
        assertThat(metrics(LABELS, "--csv").out().lines())
                .contains("trainer,step,global_grad_norm,Grad Norm,1,0,0,1.0,1.0,0.5,0.5,0.5,0.5");
    }

    @Test
    void usualNames_haveALabel_unlessAnotherIsSaid() {
        report("trainer", Map.of("step", 1, "global_grad_norm", 0.5, "mean_return", 12, "of_my_own", 3));
        assertThat(line(metrics(Map.of()), "Gradient norm")).startsWith("Gradient norm (global_grad_norm)  ");
        assertThat(line(metrics(Map.of()), "Mean return")).startsWith("Mean return  ");
        assertThat(line(metrics(Map.of()), "of_my_own")).startsWith("of_my_own  ");
        Map<String, String> said = Map.of("RLM_METRIC_LABELS", "mean_return=Score");
        assertThat(line(metrics(said), "Score")).startsWith("Score (mean_return)  ");
        assertThat(line(metrics(said), "Gradient norm")).startsWith("Gradient norm (global_grad_norm)  ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "loss; 'loss'; expected name=label, separated by commas, such as global_grad_norm=Grad Norm",
                "a=A,=B; '=B'; expected name=label",
                "a=A,b=; 'b='; expected name=label",
                "a=A,; ''; expected name=label",
                "a=A,a=B; 'a=B'; 'a' has a label already, expected one for each name",
            })
    void labels_thatAreWrong_areSaidInOneLine(String labels, String entry, String why) {
        report("trainer", Map.of("step", 1));
        Cli report = metrics(Map.of("RLM_METRIC_LABELS", labels));
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.err().lines())
                .singleElement()
                .asString()
                .startsWith("rlm: RLM_METRIC_LABELS is not valid at " + entry + ": " + why);
    }

    private Cli metrics(Map<String, String> variables, String... options) {
        return Cli.with(
                variables,
                Stream.concat(Stream.of("report", "--metrics", "--journal", "" + directory), Stream.of(options))
                        .toArray(String[]::new));
    }

    @Test
    void journalWithoutNumbers_isSaidInOneLine() {
        recorded.completed("large", "sample-1", 1);
        assertThat(recorded.report("--metrics").out())
                .isEqualToIgnoringNewLines("no numbers of training in " + directory);
        assertThat(recorded.json("--metrics").get("metrics")).isEmpty();
        assertThat(recorded.report("--metrics", "--csv").out().lines()).hasSize(1);
    }

    @Test
    void since_leavesOutWhatWasReportedBefore() {
        series("loss", 0, 1, 1, 2);
        String all =
                recorded.report("--metrics", "--since", "2026-03-01T10:20:30Z").out();
        assertThat(all).isEqualTo(recorded.report("--metrics").out());
        assertThat(recorded.report("--metrics", "--since", "2026-03-02").out()).startsWith("no numbers of training");
        assertThat(recorded.report("--metrics", "--until", "2026-03-01").out()).startsWith("no numbers of training");
    }

    @Test
    void json_hasEveryPoint() {
        series("loss", 0, 2.5, 10, 0.5);
        JsonNode loss = recorded.json("--metrics").at("/metrics/0");
        assertThat(loss.toString())
                .isEqualTo(
                        "{\"category\":\"trainer\",\"step_field\":\"global_step\",\"name\":\"loss\",\"label\":\"Loss\","
                                + "\"points\":2,\"not_finite\":0,\"replaced\":0,\"first_step\":0.0,\"last_step\":10.0,"
                                + "\"first\":2.5,\"last\":0.5,\"min\":0.5,\"max\":2.5,"
                                + "\"steps\":[0.0,10.0],\"values\":[2.5,0.5]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--model=a", "--by=model", "--against=model=a", "--pass-reward=1", "--all-attempts"})
    void option_thatSaysNothingOfTraining_isRefused(String option) {
        Cli report = recorded.report("--metrics", option);
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.err())
                .isEqualToIgnoringNewLines("rlm: --metrics does not take " + option.replaceFirst("=.*", ""));
        assertThat(report.out()).isEmpty();
    }

    @Test
    void name_thatIsUnsafe_isMadeVisible() {
        series("\u001b[31m|x", 0, 1);
        assertThat(recorded.report("--metrics").out()).doesNotContain("\u001b").contains("␛[31m|x");
        assertThat(recorded.report("--metrics", "--markdown").out()).contains("␛\\[31m\\|x");
    }
}
