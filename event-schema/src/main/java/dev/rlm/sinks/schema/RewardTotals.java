package dev.rlm.sinks.schema;

import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunStatus;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Totals of the rewards of a run, or of a step, as they are given. For one thread at a time. */
public final class RewardTotals {
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

    /** Returns the sum as a step's end tells it: NaN where none that was given is finite. */
    public double ofStep() {
        return given > 0 && finite == 0 ? Double.NaN : sum;
    }

    /** Returns whether a run with these is solved; {@code false} where none was given. */
    public boolean isSolved(PassOn on, double passReward) {
        return given > 0 && on.isSolved(last, sum, absent > 0, passReward);
    }

    /** Returns the code of the status of a run with these that ended so, where nothing else tells it. */
    public int codeOf(Outcome outcome) {
        return switch (outcome) {
            case COMPLETED -> completion().code();
            case FAILED -> RunStatus.INTERNAL;
            case ABORTED -> RunStatus.CANCELLED;
            case ABANDONED -> RunStatus.ABORTED;
        };
    }

    /** Returns the status of a run with these that ran to its end. */
    public RunStatus completion() {
        return absent == 0
                ? RunStatus.of(RunStatus.FINISHED, "")
                : RunStatus.of(RunStatus.SCORE_INVALID, "a reward could not be computed");
    }
}
