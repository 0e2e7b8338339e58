package dev.rlm.sinks.jsonl;

/**
 * Rewards of a run in short, those that came after its end included.
 *
 * @param total the sum of the finite ones
 * @param absent number of rewards that could not be computed; if there is one the total is no reward
 * @param late number of rewards that came after the run's end
 * @param undecided whether it is open if the run is solved: {@link dev.rlm.sinks.event.RunEnded#isUndecided}
 */
public record RewardSummary(double total, int absent, int late, boolean undecided) {
    /** Returns whether all rewards could be computed, so that the total is the run's reward. */
    public boolean isUsable() {
        return absent == 0;
    }
}
