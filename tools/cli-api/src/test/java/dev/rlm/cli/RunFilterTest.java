package dev.rlm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.journal.Journal;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Options that choose runs of a journal: of {@code good}, which is solved, {@code bad}, which failed, and {@code open}, which nobody ended. */
class RunFilterTest {
    @TempDir
    private static Path journal;

    @BeforeAll
    static void record() {
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .build()) {
            Run good = start(sinks, "good", 1);
            good.startStep().complete("one");
            good.startStep().complete("two");
            good.reward("solved", 1, List.of());
            good.complete("done");
            Run bad = start(sinks, "bad", 2);
            bad.reward("solved", 0, List.of());
            bad.fail(new TimeoutException("late"));
            start(sinks, "open", 3);
        }
    }

    private static Run start(Sinks sinks, String name, int epoch) {
        return sinks.startRun(RunSpec.builder(name)
                .model("m-" + name)
                .tag("colour", name.equals("bad") ? "red" : "green")
                .correlation(Correlation.builder()
                        .sample("s-" + epoch)
                        .epoch(epoch)
                        .invocation("job-77")
                        .build())
                .build());
    }

    private static RunFilter filter(String... options) {
        RunFilter filter = new RunFilter();
        new CommandLine(CommandSpec.create().addMixin("filter", CommandSpec.forAnnotatedObject(filter)))
                .parseArgs(options);
        return filter;
    }

    private static List<String> chosen(RunFilter filter) {
        return Journal.open(journal).runs().stream()
                .filter(filter::accepts)
                .map(run -> run.run().environment())
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "--env=good | good",
                "--model=m-bad | bad",
                "--sample=s-3 | open",
                "--outcome=failed | bad",
                "--outcome=completed | good",
                "--epoch=2.. | bad open",
                "--epoch=..2 | bad good",
                "--epoch=2..3 | bad open",
                "--epoch=3 | open",
                "--train-step=..9 | -",
                "--steps=2 | good",
                "--reward=0.5.. | good",
                "--reward=-1..0.5 | bad",
                "--failure=TimeoutException | bad",
                "--failure=java.util.concurrent.TimeoutException | bad",
                "--failure=Exception | -",
                "--tag=colour=green | good open",
                "--tag=colour=green --epoch=1 | good",
                "--invocation=job-7 | bad good open",
                "--invocation=ob-77 | -",
                "--duration=..6d | bad good open",
                "--duration=6d.. | -",
                "--since=1h | bad good open",
                "--until=1h | -",
                "--since=2026-01-01 --until=2999-01-01T00:00 | bad good open",
                "--since=2026-01-01T10:20:30.5+02:00 --until=2026-01-02 | -",
                "--since=2999-01-01T10:20:30Z | -",
                "--outcome=aborted | open",
                "--solved | good",
                "--tool=search | -",
                "--cost=..9 | -",
            })
    void options_chooseRunsThatFitThemAll(String options, String chosen) {
        assertThat(chosen(filter(options.split(" "))))
                .isEqualTo(chosen == null ? List.of() : List.of(chosen.split(" ")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--epoch=3..2",
                "--epoch=..",
                "--epoch=",
                "--epoch=1.5",
                "--reward=NaN",
                "--reward=1...2",
                "--duration=2..3",
                "--since=yesterday",
                "--until=2026-13-01",
                "--label==1",
                "--outcome=good"
            })
    void valueThatIsNotValid_isRefused(String option) {
        assertThatThrownBy(() -> filter(option)).isInstanceOf(ParameterException.class);
    }

    @Test
    void otherSideOfAComparison_differsInWhatIsSaidOfIt() {
        RunFilter one = filter("--tag=colour=green", "--model=m-good");
        RunFilter other = one.with(RunFilter.of(List.of("model=m-bad", "tag=colour=red"), "--against"));

        assertThat(chosen(one)).containsExactly("good");
        assertThat(chosen(other)).containsExactly("bad");
        assertThat(one.label()).isEqualTo("m-good, colour=green");
        assertThat(other.label()).isEqualTo("m-bad, colour=red");
        assertThat(filter().label()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--env=good --epoch=1 | sample=s-2 epoch=2.. | environment=good, sample=s-2, epoch=2..",
                "--duration=200ms..1.5s --reward=-1..0.5 | cost=..9 | duration=200ms..1.5s, cost=..9, reward=-1..0.5",
                "--outcome=completed --solved | outcome=FAILED no-solved undecided | outcome=failed, no-solved, undecided",
                "--label=a --label=judge@2=0.5.. --finding=loop | label=b | label=b, finding=loop",
                "--label=a --label=judge@2=0.5.. | tag=x=y=z | x=y=z, label=a, label=judge@2=0.5..",
                "--tag=a=1 --tag=b=2 | tag=b=3 tag=c=4 | a=1, b=3, c=4",
                "--total-tokens=5 --steps=2.. --tool=a | tool=b | steps=2.., tool=b, total-tokens=5",
            })
    void options_takeThePlaceOfTheSame_andAllOthersStay(String options, String others, String label) {
        RunFilter other = RunFilter.of(List.of(others.split(" ")), "--against");
        assertThat(filter(options.split(" ")).with(other).label().split(", "))
                .containsExactlyInAnyOrder(label.split(", "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "polcy-version=2 | --against: 'polcy-version=2' is not known (did you mean policy-version?); expected options"
                        + " of list, such as model=m or no-solved: cost, duration, env, environment, epoch,",
                "model=a model=b | --against: option '--model' (NAME) should be specified only once; expected options of list",
                "epoch=x | 'x' is not a range such as 2..5, 2.. or ..5; expected options of list",
            })
    void option_thatIsNoneOrNotValid_isSaid_withWhatIsAllowed(String options, String message) {
        assertThatThrownBy(() -> RunFilter.of(List.of(options.split(" ")), "--against"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }
}
