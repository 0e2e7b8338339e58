package dev.rlm.collector.runs;

import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.RewardGiven;

/** Totals of the rewards of a run or a step. Of one thread. */
final class RewardTotals {
    private int given;
    private int finite;
    private int absent;
    private double sum;
    private double last = Double.NaN;

    void add(RewardGiven reward) {
        given++;
        last = reward.value();
        absent += reward.isAbsent() ? 1 : 0;
        if (Double.isFinite(reward.value())) {
            finite++;
            sum += reward.value();
        }
    }

    double sum() {
        return sum;
    }

    /** Returns the sum as a step's end tells it: NaN where none that was given is finite. */
    double ofStep() {
        return given > 0 && finite == 0 ? Double.NaN : sum;
    }

    int absent() {
        return absent;
    }

    boolean isSolved(double passReward) {
        return PassOn.LAST.isSolved(last, sum, absent > 0, passReward);
    }
}
