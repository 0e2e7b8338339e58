package dev.rlm.runner.rescore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.event.RewardGiven;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Labels of recorded runs by persons, and judges held against them. */
class LabelTest {
    private static final String LABELS = "score:label@1";

    @TempDir
    Path folder;

    private ScoredJournal journal;

    @BeforeEach
    void record() {
        journal = new ScoredJournal(folder.resolve("journal"));
        journal.answered("a", "a", "7", 0.125);
        journal.answered("b", "b", "8", 1);
        journal.answered("c", "c", "7", 1);
        journal.answered("d", "d", "nine", 0);
    }

    private String labelled(String text, String... options) {
        Cli done = Cli.with(
                Map.of(),
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                Stream.concat(
                                Stream.of(
                                        "label",
                                        "--journal",
                                        journal.directory().toString(),
                                        "--index",
                                        "none"),
                                Stream.of(options))
                        .toArray(String[]::new));
        assertThat(done.exitCode()).as(done.err()).isZero();
        return done.out();
    }

    @Test
    void labels_thatDecide_countInTotals_thoseGivenBeforeToo() {
        labelled("n\ny\nq\n");
        assertThat(journal.run("list", "--solved").out()).contains("b ", "c ", "2 of 4 runs");

        String decided = labelled("n\ny\n", "--decide");

        assertThat(decided).contains("run 3 of 4  c", "run 4 of 4  d", "4 of 4 runs labelled");
        assertThat(journal.run("list", "--solved").out()).contains("b ", "d ", "2 of 4 runs");
        assertThat(journal.run("list", "--no-solved").out()).contains("a ", "c ", "2 of 4 runs");
        assertThat(journal.json("report").at("/all/mean_reward").doubleValue()).isEqualTo(4.125 / 4, within(1e-9));
    }

    @Test
    void labels_areAPersonsScores_givenWithoutALookAtRewards_andGoOn() throws Exception {
        String first = labelled("maybe\nm\ny\ns\n0.25\nq\n");
        String second = labelled("n\nn\n");

        assertThat(first)
                .contains(
                        "What is 3 + 4?",
                        "final answer",
                        "expected y (solved)",
                        "noted",
                        "2 of 4 runs labelled as label@1")
                .doesNotContain("0.125", "reward");
        assertThat(second)
                .contains("run 1 of 2  b", "run 2 of 2  d", "2 of 2 runs labelled")
                .doesNotContain("goes on");
        Map<String, RewardGiven> labels = journal.scores(LABELS);
        assertThat(labels).containsOnlyKeys("a", "b", "c", "d");
        assertThat(journal.score(LABELS, "a").label()).isEqualTo("solved");
        assertThat(journal.score(LABELS, "c").value()).isEqualTo(0.25);
        assertThat(journal.run("list", "--label", "label@1=0..0.25").out()).contains("b ", "c ", "d ", "3 of 4 runs");
        assertThat(journal.run("list", "--label", "label=1").out()).contains("a ", "1 of 4 runs");
        assertThat(journal.run("list", "--label", "label@2").out()).contains("0 of 4 runs");
        assertThat(journal.run("list", "--label", "a b").err()).contains("'a b' is not one such as label=1");
        assertThat(labels.values()).allMatch(label -> label.kind() == RewardGiven.Kind.PERSON);
        assertThat(journal.json("report").at("/all/mean_reward").doubleValue()).isEqualTo(2.125 / 4, within(1e-9));
    }

    @Test
    void scores_areHeldAgainstLabels_andALowKappaFails() throws Exception {
        labelled("y\nn\ny\ny\n");
        journal.json("rescore", "--reward", "exact", "--version", "1");
        journal.json("rescore", "--reward", "step", "--version", "1");

        JsonNode agreement = journal.json("label", "--agreement");
        Cli good = journal.run("label", "--agreement", "--min-kappa", "0.4", "--environment", "calc");
        Cli printed = journal.run("label", "--agreement");

        assertThat(agreement.get("labelled").intValue()).isEqualTo(4);
        JsonNode exact = agreement.at("/scores/0");
        assertThat(exact.get("score").asString()).isEqualTo("exact@1");
        assertThat(exact.get("agreement").doubleValue()).isEqualTo(0.75);
        assertThat(exact.get("kappa").doubleValue()).isEqualTo(0.5, within(1e-9));
        assertThat(exact.get("false_positives").doubleValue()).isZero();
        assertThat(exact.get("false_negatives").doubleValue()).isEqualTo(1.0 / 3, within(1e-9));
        assertThat(agreement.at("/recorded/runs").intValue()).isEqualTo(4);
        assertThat(good.exitCode()).isEqualTo(1); // step says the same of all runs: its kappa is 0
        assertThat(good.err()).contains("kappa is below 0.4, or cannot be told: step@1");
        assertThat(printed.exitCode()).isZero();
        assertThat(printed.out()).contains("exact@1", "0.500 (95 % ", "33.3 %", "(recorded)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--min-kappa 0.5 | 2 | --min-kappa, --pass-reward and --json are for --agreement",
                "--agreement | 1 | no run has the label label@1",
                "--agreement --min-kappa 2 | 2 | --min-kappa=2.0 is not valid",
                "--name a@b | 2 | the name 'a@b' is not valid",
            })
    void badInput_isRefusedInALine(String options, int code, String told) {
        Cli refused = journal.run("label", options.split(" "));

        assertThat(refused.exitCode()).isEqualTo(code);
        assertThat(refused.err()).contains(told);
        assertThat(refused.err().lines()).hasSize(1);
    }
}
