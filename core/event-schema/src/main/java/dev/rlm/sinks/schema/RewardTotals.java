package dev.rlm.sinks.schema;

import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunStatus;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Totals of the rewards of a run, or of a step, as they are given. For one thread at a time. */
public final class RewardTotals {
    /** Reward of a step that was given none: zero, but told apart from a sum; adding 0.0 makes it one. */
    public static final double NO_REWARD = -0.0;

    private static final int REMEMBERED = 64;
    private static final long[] NOTHING = {};

    private int given;
    private int finite;
    private int absent;
    private double sum;
    private double last = Double.NaN;
    private long[] told = NOTHING; // numbers of LateEvents

    /** Makes those of no rewards. */
    public RewardTotals() {}

    /** Makes a copy. */
    public RewardTotals(RewardTotals other) {
        given = other.given;
        finite = other.finite;
        absent = other.absent;
        sum = other.sum;
        last = other.last;
        told = other.told; // which is replaced, and not changed
    }

    /**
     * Adds a reward, which is known again if it is late or given to the run as a whole.
     *
     * @param late whether it comes after the run's end
     */
    public void add(RewardGiven reward, boolean late) {
        add(reward.value());
        if (late || reward.step() == RewardGiven.NO_STEP) {
            int from = Math.max(0, told.length - REMEMBERED + 1);
            long[] more = Arrays.copyOfRange(told, from, told.length + 1);
            more[more.length - 1] = LateEvents.seq(reward);
            told = more;
        }
    }

    /** Returns whether the same reward, by its source and value, is among the last 64 that were added to the run as a whole, or late. */
    public boolean has(int step, String source, double value) {
        long seq = LateEvents.seq(step, source, value);
        return Arrays.stream(told).anyMatch(each -> each == seq);
    }

    /** Adds a reward; NaN where it is absent. */
    public void add(double value) {
        given++;
        last = value;
        if (Double.isFinite(value)) {
            finite++;
            sum += value;
        } else if (Double.isNaN(value)) {
            absent++;
        }
    }

    /** Returns how many were given, absent ones included. */
    public int given() {
        return given;
    }

    /** Returns how many could not be computed. */
    public int absent() {
        return absent;
    }

    /** Returns the sum of the finite ones; 0 where none was given. */
    public double sum() {
        return sum;
    }

    /** Returns the sum of the finite ones; {@code null} where none was given. */
    public @Nullable Double total() {
        return given == 0 ? null : (Double) sum;
    }

    /** Returns whether a run with these is solved; {@code false} where none was given. */
    public boolean isSolved(PassOn on, double passReward) {
        return given > 0 && on.isSolved(last, sum, absent > 0, passReward);
    }

    /**
     * Returns the status of a run with these that ended so, where nothing else tells it.
     *
     * @param message empty where there is nothing to say
     */
    public RunStatus statusOf(Outcome outcome, String message) {
        return switch (outcome) {
            case COMPLETED ->
                absent == 0
                        ? RunStatus.of(RunStatus.FINISHED, message)
                        : RunStatus.of(
                                RunStatus.SCORE_INVALID,
                                message.isEmpty() ? "a reward could not be computed" : message);
            case FAILED -> RunStatus.of(RunStatus.INTERNAL, message);
            case ABORTED -> RunStatus.of(RunStatus.CANCELLED, message);
            case ABANDONED -> RunStatus.of(RunStatus.ABORTED, message.isEmpty() ? "its process died" : message);
        };
    }

    /** Returns what these tell of a run's end, with the status of such an end: the rest is to be added. */
    public RunEndedBuilder end(Outcome outcome, String message) {
        return RunEndedBuilder.builder()
                .outcome(outcome)
                .status(statusOf(outcome, message))
                .totalReward(sum)
                .absentRewards(absent)
                .rewards(given);
    }

    /**
     * Returns the reward of a step that is given one more: the sum of what is finite, NaN where nothing is.
     *
     * @param before {@link #NO_REWARD} with the first
     */
    public static double plus(double before, double value) {
        if (Double.isFinite(value)) {
            return (Double.isNaN(before) ? 0 : before) + (value + 0.0); // which is never -0.0
        }
        return isRewarded(before) ? before : Double.NaN;
    }

    /** Returns whether a step with that reward was given one. */
    public static boolean isRewarded(double reward) {
        return Double.doubleToRawLongBits(reward) != Double.doubleToRawLongBits(NO_REWARD);
    }
}
