package dev.rlm.sinks.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStatus;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sums of a run's rewards, and which of those that come late it has had. */
class RewardTotalsTest {
    private static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("r")
            .startedAt(Instant.EPOCH)
            .environment("e")
            .build();

    private final RewardTotals totals = new RewardTotals();

    private static RewardGiven reward(int step, String source, double value) {
        return RewardGivenBuilder.builder()
                .run(RUN)
                .seq(2)
                .step(step)
                .source(source)
                .value(value)
                .absence(Double.isNaN(value) ? "why" : null)
                .build();
    }

    @Test
    void outcome_hasOneCode_whereNothingElseTellsIt() {
        assertThat(Stream.of(Outcome.values())
                        .map(outcome -> totals.statusOf(outcome, "why").code()))
                .containsExactly(RunStatus.FINISHED, RunStatus.INTERNAL, RunStatus.CANCELLED, RunStatus.ABORTED);
        totals.add(Double.NaN);
        assertThat(totals.statusOf(Outcome.COMPLETED, "").code()).isEqualTo(RunStatus.SCORE_INVALID);
    }

    @Test
    void noReward_isNoTotal_andNotSolved() {
        assertThat(totals.total()).isNull();
        assertThat(totals.sum()).isZero();
        assertThat(totals.isSolved(PassOn.TOTAL, -1)).isFalse();
        assertThat(totals.statusOf(Outcome.COMPLETED, "").code()).isEqualTo(RunStatus.FINISHED);
    }

    @Test
    void finiteRewards_areTheTotal_andOthersAreCounted() {
        totals.add(0.5);
        totals.add(Double.POSITIVE_INFINITY);
        assertThat(totals.total()).isEqualTo(0.5);
        assertThat(totals.isSolved(PassOn.LAST, 1)).isTrue();
        totals.add(Double.NaN);
        assertThat(totals.given()).isEqualTo(3);
        assertThat(totals.absent()).isEqualTo(1);
        assertThat(totals.isSolved(PassOn.LAST, 0)).isFalse();
        assertThat(totals.isSolved(PassOn.TOTAL, 0)).isFalse();
        assertThat(totals.statusOf(Outcome.COMPLETED, "").code()).isEqualTo(RunStatus.SCORE_INVALID);
    }

    @Test
    void stepsReward_isTheSumOfTheFinite_andNanWithoutAny() {
        assertThat(ofStep()).isZero();
        assertThat(ofStep(Double.NaN, 0.5)).isEqualTo(0.5);
        assertThat(ofStep(0.5, Double.NaN, Double.NEGATIVE_INFINITY)).isEqualTo(0.5);
        assertThat(ofStep(Double.NaN)).isNaN();
        assertThat(ofStep(Double.POSITIVE_INFINITY)).isNaN();
        assertThat(ofStep(0, Double.NaN)).isZero();
        assertThat(ofStep(-0.0, Double.NaN)).isZero();
    }

    private static double ofStep(double... rewards) {
        return DoubleStream.of(rewards).reduce(RewardTotals.NO_REWARD, RewardTotals::plus) + 0.0;
    }

    @Test
    void reward_isKnownAgain_bySourceAndValue() {
        totals.add(reward(RunEvent.NO_STEP, "judge", 1), false);
        totals.add(reward(1, "judge", 0.5), false); // steps may earn the same twice
        totals.add(reward(2, "judge", Double.NaN), true);

        assertThat(totals.has(RunEvent.NO_STEP, "judge", 1)).isTrue();
        assertThat(totals.has(RunEvent.NO_STEP, "judge", 0.5)).isFalse();
        assertThat(totals.has(RunEvent.NO_STEP, "person", 1)).isFalse();
        assertThat(totals.has(1, "judge", 0.5)).isFalse();
        assertThat(totals.has(2, "judge", Double.NaN)).isTrue();
    }

    @Test
    void copy_goesItsOwnWay() {
        totals.add(reward(RunEvent.NO_STEP, "judge", 1), true);
        RewardTotals copy = new RewardTotals(totals);
        for (int i = 0; i < 100; i++) {
            copy.add(reward(RunEvent.NO_STEP, "judge", i), true);
        }
        assertThat(totals.given()).isEqualTo(1);
        assertThat(totals.has(RunEvent.NO_STEP, "judge", 1)).isTrue();
        assertThat(copy.has(RunEvent.NO_STEP, "judge", 1)).isFalse(); // 64 are remembered
        assertThat(copy.has(RunEvent.NO_STEP, "judge", 36)).isTrue();
    }

    @Test
    void numbers_areOfWhoGaveWhat_andOfNothingElse() {
        Set<Long> numbers = new HashSet<>();
        for (int step = 0; step < 10; step++) {
            for (String source : new String[] {"", "a", "b", "ab", "ba"}) {
                for (double value : new double[] {0, 1, -1, 0.1, Double.NaN, Double.POSITIVE_INFINITY}) {
                    long seq = LateEvents.seq(step, source, value);
                    assertThat(LateEvents.isLate(seq)).isTrue();
                    assertThat(seq).isLessThan(1L << 50).isEqualTo(LateEvents.seq(step, source, value));
                    numbers.add(seq);
                }
            }
        }
        assertThat(numbers).hasSize(300);
        assertThat(LateEvents.seq(0, "a", -0.0)).isEqualTo(LateEvents.seq(0, "a", 0.0));
        assertThat(LateEvents.seq(0, "a", 0.5)).isEqualTo(619_599_677_963_130L); // other versions give the same
        assertThat(LateEvents.isLate(1_000_000_000)).isFalse();
    }
}
