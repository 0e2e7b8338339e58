package dev.rlm.journal;

import org.jspecify.annotations.Nullable;

/**
 * Rewards of a run in short, those that came after its end included.
 *
 * @param total the sum of the finite ones; {@code null} where none was given
 * @param absent number of rewards that could not be computed; if there is one the total is no reward
 * @param late number of rewards that came after the run's end
 */
public record RewardSummary(@Nullable Double total, int absent, int late) {
    /** Returns whether there is a total that is the run's reward: one was given, and all could be computed. */
    public boolean isUsable() {
        return total != null && absent == 0;
    }

    /** Returns the run's reward; {@code null} where it has none. */
    public @Nullable Double usable() {
        return isUsable() ? total : null;
    }
}
