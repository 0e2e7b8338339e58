package dev.rlm.sinks.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.RunAssembler.OpenStep;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Numbers, totals and ends of a run that is told event by event. */
class RunAssemblerTest {
    private static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("r")
            .startedAt(Instant.EPOCH)
            .environment("e")
            .build();

    private final RunAssembler run = new RunAssembler();

    RunAssemblerTest() {
        run.add(new RunStarted(RUN, run.nextSeq()));
    }

    private OpenStep step(long nanos) {
        int step = run.nextStep();
        run.add(new StepStarted(RUN, run.nextSeq(), nanos, step, RunEvent.NO_STEP, Content.EMPTY));
        return open(step);
    }

    private OpenStep open(int step) {
        return Objects.requireNonNull(run.open(step));
    }

    private void reward(int step, double value) {
        run.add(reward(run.nextSeq(), step, value));
    }

    private static RewardGiven reward(long seq, int step, double value) {
        return RewardGivenBuilder.builder()
                .run(RUN)
                .seq(seq)
                .nanos(seq)
                .step(step)
                .source("judge")
                .value(value)
                .build();
    }

    @Test
    void endsOfStepsAndRun_followFromTheEventsBefore() {
        step(10);
        step(20);
        reward(1, Double.NaN);
        reward(1, 0.5);
        reward(2, Double.POSITIVE_INFINITY);
        reward(RunEvent.NO_STEP, 2);
        StepEnded second = run.add(run.end(open(2), 30, Content.redacted("no")).build());
        StepEnded first = run.add(run.end(open(1), 40, null).build());
        RunEnded end = run.add(run.end(50, Outcome.FAILED, "why").run(RUN).build());

        assertThat(second.seq()).isEqualTo(8);
        assertThat(second.success()).isFalse();
        assertThat(second.reward()).isNaN();
        assertThat(second.cumulativeReward()).isEqualTo(2.5);
        assertThat(first.success()).isTrue();
        assertThat(first.reward()).isEqualTo(0.5);
        assertThat(end.seq()).isEqualTo(10);
        assertThat(end.nanos()).isEqualTo(50);
        assertThat(end.steps()).isEqualTo(2);
        assertThat(end.totalReward()).isEqualTo(2.5);
        assertThat(end.absentRewards()).isEqualTo(1);
        assertThat(end.rewards()).isEqualTo(4);
        assertThat(end.status()).isEqualTo(RunStatus.of(RunStatus.INTERNAL, "why"));
        assertThat(run.stepsUntil()).isEqualTo(40);
    }

    @Test
    void runWhoseProcessDied_endsAtItsLastEvent_whateverItsRewards() {
        step(10);
        reward(1, 1);
        run.count(9, 70, true);
        RunEnded end = run.abandoned().run(RUN).build();

        assertThat(end.seq()).isEqualTo(10);
        assertThat(end.nanos()).isEqualTo(70);
        assertThat(end.steps()).isEqualTo(1);
        assertThat(end.outcome()).isEqualTo(Outcome.ABANDONED);
        assertThat(run.isSolved(Outcome.ABANDONED, PassOn.LAST, 1)).isFalse();
        assertThat(run.isSolved(Outcome.ABORTED, PassOn.LAST, 1)).isTrue();
    }

    @Test
    void stepsThatAreOpenAtTheEnd_endWithIt_theLastFirst() {
        step(10);
        step(20);
        reward(1, 0.5);
        List<StepEnded> ends = run.endOpen(15, step -> step.step() == 1);

        assertThat(ends).extracting(StepEnded::step).containsExactly(2, 1);
        assertThat(ends).extracting(StepEnded::seq).containsExactly(5L, 6L);
        assertThat(ends).extracting(StepEnded::nanos).containsExactly(20L, 15L); // none before its start
        assertThat(ends).extracting(StepEnded::success).containsExactly(false, true);
        assertThat(ends).extracting(StepEnded::errorType).containsExactly(StepEnded.ABORTED, null);
        assertThat(ends).extracting(StepEnded::reward).containsExactly(0.0, 0.5);
        assertThat(run.open()).isEmpty();
        assertThat(run.steps()).isEqualTo(2);
    }

    @Test
    void lateReward_isRemembered_andTakesNoNumberOfTheRun() {
        step(10);
        run.add(run.end(20, Outcome.COMPLETED, "").run(RUN).build());
        long next = run.nextSeq();
        run.add(reward(LateEvents.seq(RunEvent.NO_STEP, "judge", 1), RunEvent.NO_STEP, 1));

        assertThat(run.open()).isEmpty();
        assertThat(run.nextSeq()).isEqualTo(next);
        assertThat(run.rewards().has(RunEvent.NO_STEP, "judge", 1)).isTrue();
    }

    @Test
    void copy_goesItsOwnWay() {
        step(10);
        RunAssembler copy = new RunAssembler(run);
        reward(1, 1);

        assertThat(Objects.requireNonNull(copy.open(1)).isRewarded()).isFalse();
        assertThat(copy.rewards().given()).isZero();
        assertThat(open(1).reward()).isEqualTo(1);
    }
}
