package dev.rlm.sinks.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.statistics.Groups;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunFiguresTest {
    private static RunResult run(@Nullable Outcome outcome, boolean solved, double reward) {
        return new RunResult(outcome, solved, reward, false, 2, 1, null);
    }

    @Test
    void figures_areOverRunsThatCameToAnEndOfTheirOwn() {
        RunFigures figures = RunFigures.of(List.of(
                run(Outcome.COMPLETED, true, 1),
                run(Outcome.FAILED, false, 0.5),
                run(Outcome.ABORTED, true, 4),
                run(Outcome.ABANDONED, false, 4),
                run(null, false, 4)));

        assertThat(figures.runs()).isEqualTo(5);
        assertThat(figures.running()).isEqualTo(1);
        assertThat(figures.counted()).isEqualTo(2);
        assertThat(figures.solved()).isEqualTo(1);
        assertThat(figures.solvedRate()).isEqualTo(0.5);
        assertThat(figures.meanReward()).isEqualTo(0.75);
        assertThat(figures.totalReward()).isEqualTo(13.5);
        assertThat(figures.steps()).isEqualTo(10);
        assertThat(figures.toolCalls()).isEqualTo(5);
    }

    @Test
    void undecidedAndUnusable_areCountedBesideRateAndMean() {
        RunFigures figures = RunFigures.of(List.of(
                run(Outcome.COMPLETED, true, 1),
                new RunResult(Outcome.COMPLETED, null, 3.0, false, 1, 0, Duration.ofSeconds(2)),
                new RunResult(Outcome.COMPLETED, false, 8.0, true, 1, 0, Duration.ofSeconds(1))));

        assertThat(figures.undecided()).isEqualTo(1);
        assertThat(figures.decided()).isEqualTo(2);
        assertThat(figures.unusable()).isEqualTo(1);
        assertThat(figures.solvedRate()).isEqualTo(0.5);
        assertThat(figures.meanReward()).isEqualTo(2);
        assertThat(figures.durations().percentile(100)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void runWithoutReward_isInNoMean_andInNoRateUnlessItFailed_andCountedBesideThem() {
        Groups<String> groups = new Groups<>(name -> name);
        List<RunResult> runs = List.of(
                run(Outcome.COMPLETED, true, 1),
                run(Outcome.FAILED, false, 0),
                new RunResult(Outcome.COMPLETED, null, null, false, 1, 0, Duration.ofSeconds(2)),
                new RunResult(Outcome.FAILED, null, null, false, 1, 0, Duration.ofSeconds(2)),
                new RunResult(Outcome.COMPLETED, true, null, false, 1, 0, Duration.ofSeconds(2)),
                new RunResult(null, null, null, false, 1, 0, null));
        RunFigures figures = RunFigures.of(runs);
        runs.forEach(run -> run.addTo(groups, "of all"));
        runs.get(2).addTo(groups, "of none");

        assertThat(figures.unrewarded()).isEqualTo(3);
        assertThat(figures.undecided()).isZero();
        assertThat(figures.decided()).isEqualTo(4);
        assertThat(figures.solvedRate()).isEqualTo(0.5);
        assertThat(figures.meanReward()).isEqualTo(0.5);
        assertThat(groups.all()).containsOnlyKeys("of all");
        assertThat(groups.get("of all").decided()).isEqualTo(4);
        assertThat(groups.get("of all").rewards()).isEqualTo(2);
    }

    @Test
    void runThatIsTakenBack_leavesTheFiguresOfTheOthers() {
        RunFigures figures = new RunFigures();
        for (int i = 0; i < 10; i++) {
            figures.add(run(Outcome.COMPLETED, true, 0.1));
        }
        RunResult wrong = run(Outcome.FAILED, false, 1e9);
        figures.add(wrong);
        figures.remove(wrong);

        assertThat(figures.runs()).isEqualTo(10);
        assertThat(figures.ended(Outcome.FAILED)).isZero();
        assertThat(figures.solvedRate()).isEqualTo(1);
        assertThat(figures.totalReward()).isEqualTo(1);
        assertThat(figures.meanReward()).isEqualTo(0.1);
    }

    @Test
    void figuresOfNothing_areNotANumber() {
        RunFigures figures = new RunFigures();

        assertThat(figures.solvedRate()).isNaN();
        assertThat(figures.meanReward()).isNaN();
        assertThat(figures.totalReward()).isNaN();
        assertThat(figures.durations().percentile(50)).isNull();
    }

    @Test
    void merged_figuresAreThoseOfAllRuns() {
        List<RunResult> runs = List.of(
                run(Outcome.COMPLETED, true, 0.1),
                new RunResult(Outcome.COMPLETED, null, 3.0, false, 1, 4, Duration.ofSeconds(2)),
                run(Outcome.ABANDONED, false, 0.2),
                new RunResult(Outcome.FAILED, false, 8.0, true, 1, 0, Duration.ofSeconds(1)));
        RunFigures merged = RunFigures.of(runs.subList(0, 2));
        merged.merge(RunFigures.of(runs.subList(2, 4)));

        RunFigures expected = RunFigures.of(runs);
        assertThat(merged.runs()).isEqualTo(4);
        assertThat(merged.ended(Outcome.COMPLETED)).isEqualTo(2);
        assertThat(merged.solved()).isEqualTo(expected.solved());
        assertThat(merged.undecided()).isEqualTo(expected.undecided());
        assertThat(merged.unusable()).isEqualTo(expected.unusable());
        assertThat(merged.totalReward()).isEqualTo(expected.totalReward());
        assertThat(merged.meanReward()).isEqualTo(expected.meanReward());
        assertThat(merged.steps()).isEqualTo(expected.steps());
        assertThat(merged.toolCalls()).isEqualTo(expected.toolCalls());
        assertThat(merged.durations().percentile(50)).isEqualTo(Duration.ofSeconds(1));
    }
}
