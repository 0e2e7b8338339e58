package dev.rlm.recorder;

import dev.rlm.sinks.RunSpec.PassOn;

/**
 * Totals of rewards.
 *
 * @param given how many were given
 * @param sum of those that are finite
 * @param last the last one; NaN where it is absent
 * @param absent how many could not be computed
 * @param finite how many were finite
 */
record Totals(int given, double sum, double last, int absent, int finite) {
    static final Totals NONE = new Totals(0, 0, Double.NaN, 0, 0);

    /** With one more. */
    Totals with(double value) {
        boolean isFinite = Double.isFinite(value);
        return new Totals(
                given + 1,
                isFinite ? sum + value : sum,
                value,
                Double.isNaN(value) ? absent + 1 : absent,
                isFinite ? finite + 1 : finite);
    }

    /** Returns the sum as a step's end tells it: NaN where none that was given is finite. */
    double ofStep() {
        return given > 0 && finite == 0 ? Double.NaN : sum;
    }

    boolean isSolved(Solved solved) {
        return solved.on().isSolved(last, sum, absent > 0, solved.passReward());
    }

    /** Rule by which a run counts as solved: from which reward on, and which reward that is. */
    record Solved(double passReward, PassOn on) {}
}
