package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import java.util.List;

/**
 * Records the computation of a reward that takes time, and what it calls: a judge's model, a test run. Used in a try
 * block: where the block is left without {@link #reward} or {@link #absent}, the reward is absent.
 *
 * <p>Belongs to the {@link Run} or {@link Step} that it was got from. It may outlast its step, but not its run, whose end
 * makes the reward absent. Safe for use by several threads. No method throws.
 */
public interface Evaluation extends Activity, AutoCloseable {
    /** The shared computation that records nothing. */
    Evaluation NOOP = new Evaluation() {};

    /** Ends the computation with its reward. NaN counts as absent. */
    default void reward(double value) {
        reward(value, List.of());
    }

    /**
     * Ends the computation with its reward.
     *
     * @param components what explains the value; they add nothing to it
     */
    default void reward(double value, List<RewardComponent> components) {}

    /** Ends the computation with its reward, and its label, explanation, kind or range. */
    default void reward(Reward reward) {}

    /** Ends the computation: there is no reward, and why. It is never counted as 0. */
    default void absent(String reason) {}

    /** Ends the computation without a reward if it has not ended. */
    @Override
    default void close() {}
}
