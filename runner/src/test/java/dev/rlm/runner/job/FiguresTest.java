package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunFigures;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static EpisodeResult result(Outcome outcome, boolean solved, int millis) {
        return new EpisodeResult(
                "id", "model", outcome, solved, 1, 0, 1.0, false, Duration.ofMillis(millis), null, null);
    }

    @Test
    void run_thatWasAborted_isInNoRateAndNoDuration() {
        RunFigures figures = Summary.figures(List.of(
                result(Outcome.COMPLETED, true, 30),
                result(Outcome.FAILED, false, 10),
                result(Outcome.ABORTED, true, 1)));

        assertThat(figures.runs()).isEqualTo(3);
        assertThat(figures.solved()).isEqualTo(1);
        assertThat(figures.solvedRate()).isEqualTo(0.5);
        assertThat(figures.durations().percentile(50)).isEqualTo(Duration.ofMillis(10));
        assertThat(figures.steps()).isEqualTo(3);
    }

    /** Its end says unsolved only because nobody had judged it yet. */
    @Test
    void run_thatIsUndecided_isInNoRate() {
        EpisodeResult undecided = new EpisodeResult(
                "id", "model", Outcome.COMPLETED, null, 1, 0, 0.5, false, Duration.ofMillis(10), null, null);

        RunFigures figures = Summary.figures(
                List.of(result(Outcome.COMPLETED, true, 30), result(Outcome.FAILED, false, 10), undecided));

        assertThat(figures.undecided()).isEqualTo(1);
        assertThat(figures.solvedRate()).isEqualTo(0.5);
        assertThat(figures.ended(Outcome.COMPLETED)).isEqualTo(2);
    }
}
