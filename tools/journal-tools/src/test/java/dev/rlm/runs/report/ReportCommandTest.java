package dev.rlm.runs.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What is chosen, in which form it is printed, and what is refused. */
class ReportCommandTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
        recorded.completed("large", "sample-2", 1, 1);
        recorded.completed("large", "sample-10", 0, 1);
        recorded.completed("small", "sample-2", 0, 1);
    }

    @Test
    void table_tellsInThisOrder_whatRanHowGoodHowSureWhereItFailedAndWhatItCost() {
        Cli report = recorded.report();
        assertThat(report.exitCode()).isZero();
        assertThat(report.err()).isEmpty();
        assertThat(report.out())
                .startsWith("6 of 6 runs in " + directory)
                .containsSubsequence(
                        "RUNS",
                        "SOLVED RUNS AND REWARDS",
                        "SEVERAL ATTEMPTS",
                        "LEARNING SIGNAL",
                        "WORST SAMPLES",
                        "COST")
                .doesNotContain("model calls", "tool calls")
                .doesNotContain("TOOLS", "ABSENT REWARDS", "REWARD COMPONENTS", "ENDS OF RUNS");
        assertThat(report.out().lines())
                .anyMatch(line -> line.matches("shop +large +3 +4 +0.75 ± 0.25 +0.75 ± 0.25 +4 +0.000 +1.000 +0"))
                .anyMatch(line -> line.matches("shop +small +1 +2 +0.500 +0.500 +2 +0.000 +1.000 +0"))
                .anyMatch(line -> line.matches("all +- +4 +6 +0.67 ± 0.11 .*"));
    }

    @Test
    void rows_comeInTheOrderOfTheirNumbers() {
        assertThat(recorded.json("--by", "sample").get("rows"))
                .extracting(row -> row.get("sample").asString() + " "
                        + row.get("solved_rate").asDouble())
                .containsExactly("sample-2 0.75", "sample-10 0.5");
    }

    @Test
    void failures_areToldByCause_andNumbersThatVaryAreOne() {
        recorded.record(Recorded.spec("large", "s"), run -> run.fail(new IllegalStateException("row 7 is empty")));
        recorded.record(Recorded.spec("large", "s"), run -> run.fail(new IllegalStateException("row 12 is empty")));
        recorded.record(Recorded.spec("large", "s"), run -> run.fail(new TimeoutException("no answer")));

        assertThat(recorded.report().out().lines())
                .containsSubsequence("WHY RUNS FAILED", "2 × row … is empty", "1 × no answer");
        assertThat(recorded.report("--markdown").out()).contains("### Why runs failed\n\n2 × row … is empty\n");
        JsonNode failed = recorded.json().get("all").get("ends").get(1);
        assertThat(failed.get("reason").asString()).isEqualTo("java.lang.IllegalStateException");
        assertThat(failed.get("runs").asInt()).isEqualTo(2);
        assertThat(failed.get("messages"))
                .extracting(message -> message.get("message").asString() + ": "
                        + message.get("runs").asInt())
                .containsExactly("row … is empty: 2");
    }

    @Test
    void by_mayBeCombinedOrRepeated() {
        JsonNode rows = recorded.json("--by", "sample", "--by", "model").get("rows");
        assertThat(rows)
                .extracting(row ->
                        row.get("sample").asString() + " " + row.get("model").asString())
                .containsExactly("sample-2 large", "sample-2 small", "sample-10 large");
    }

    @Test
    void filters_areThoseOfList() {
        assertThat(recorded.json("--model", "small").at("/all/runs").asInt()).isEqualTo(2);
        assertThat(recorded.json("--no-solved").at("/all/runs").asInt()).isEqualTo(2);
        assertThat(recorded.report("--model", "small").out()).startsWith("2 of 6 runs in ");
        assertThat(recorded.report("--limit", "4").out()).startsWith("4 of 6 runs in ");
        assertThat(recorded.report("--until", "2026-03-01").out()).startsWith("0 of 6 runs in ");
        assertThat(recorded.report("--since", "2026-03-01").out()).startsWith("6 of 6 runs in ");
    }

    @Test
    void runs_thatAreNone_areSaidInOneLine() {
        Cli report = recorded.report("--model", "huge");
        assertThat(report.exitCode()).isZero();
        assertThat(report.out()).isEqualToIgnoringNewLines("0 of 6 runs in " + directory);
        assertThat(recorded.json("--model", "huge").at("/all/mean_reward").isNull())
                .isTrue();
        assertThat(recorded.report("--model", "huge", "--csv").out().lines()).hasSize(1);
    }

    @Test
    void csv_hasARowForEach_asTheStandardAsks() {
        recorded.completed("a \"b\", c\nd", "sample-2", 1);
        List<String> lines =
                recorded.report("--csv", "--by", "model").out().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).startsWith("model,runs,completed,").endsWith(",pass_2_groups,pass_2_samples");
        assertThat(lines.get(1)).startsWith("\"a \"\"b\"\", c⏎d\",1,1,0,");
        assertThat(lines.get(2)).startsWith("large,4,4,0,0,0,0,2,0,3,0,0.75,0.25,4,");
        assertThat(lines)
                .extracting(line -> line.replaceAll("\"([^\"]|\"\")*\"", "x").split(",", -1).length)
                .containsOnly(lines.get(0).split(",", -1).length);
        assertThat(recorded.report("--csv").out()).contains("\r\n");
    }

    @Test
    void markdown_isATableThatNamesCannotBreak() {
        recorded.completed("a|b <i>*c*", "sample-2", 1);
        String out = recorded.report("--markdown").out();
        assertThat(out)
                .contains("### Runs\n\n| environment | model | runs |")
                .contains("\n| --- | --- | ---: |", "| pass@k | pass^k |")
                .contains("| shop | a\\|b \\<i\\>\\*c\\* | 1 |");
    }

    @Test
    void name_thatIsLongOrUnsafe_isCutAndMadeVisible() {
        recorded.completed("x".repeat(100) + "\u001b[31m", "sample-2", 1);
        recorded.completed("\u001b[31m", "sample-2", 1);
        assertThat(recorded.report().out())
                .doesNotContain("\u001b")
                .contains("x".repeat(60) + "… (+45)")
                .contains("␛[31m");
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "--by=colour; 'colour' is not known: known are environment, model, sample, split, experiment, epoch,"
                        + " train-step, policy-version, trajectory-index, failure, layer, tool",
                "--k=0; --k=0 is not valid: expected whole numbers from 1 to 100000, such as 1,4,8",
                "--k=1,x; 'x' is not an int",
                "--worst=-1; --worst=-1 is not valid: expected a whole number from 0 on",
                "--pass-reward=NaN; --pass-reward=NaN is not valid: expected a finite number",
                "--pass-on=first; expected one of",
                "--against=modle=red; --against (a journal's folder, or filters): 'modle=red' is not known (did you mean"
                        + " model?)",
                "--against=befor; --against (a journal's folder, or filters): 'befor' is not known",
                "--against=train-step=x; 'x' is not a range such as 2..5",
                "--against=model=small; 2 of the runs are on both sides; choose this side too",
            })
    void option_thatIsWrong_isSaidInOneLine(String option, String message) {
        Cli report = recorded.report(option);
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.out()).isEmpty();
        assertThat(report.err().lines()).singleElement().asString().contains(message);
    }

    @Test
    void forms_excludeEachOther() {
        Cli report = recorded.report("--json", "--csv");
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.err())
                .isEqualToIgnoringNewLines("rlm: --json, --csv are mutually exclusive (specify only one)");
    }

    @Test
    void against_takesOneFolderAndOneModel() {
        Cli models = recorded.report("--against", "model=a", "--against", "model=b");
        assertThat(models.exitCode()).isEqualTo(2);
        assertThat(models.err()).contains("option '--model' (NAME) should be specified only once");
        String folder = directory.toString();
        Cli folders = recorded.report("--against", folder, "--against", folder);
        assertThat(folders.exitCode()).isEqualTo(2);
        assertThat(folders.err()).contains("--against takes one folder: " + folder + " is a second");
    }

    @Test
    void journal_thatIsNotThere_isAnErrorOfOneLine() {
        Cli report = new Recorded(directory.resolve("none")).report();
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.out()).isEmpty();
        assertThat(report.err()).contains("there is no journal at " + directory.resolve("none"));
    }
}
