package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Optional;

/**
 * Records the computation of a reward that takes time, and what it calls: a judge's model, a test run. Used in a try
 * block: where the block is left without {@link #reward} or {@link #absent}, the reward is absent.
 *
 * <p>Belongs to the {@link Run} or {@link Step} that it was got from. It may outlast its step, but not its run, whose end
 * makes the reward absent. Safe for use by several threads. No method throws.
 */
public sealed interface Evaluation extends AutoCloseable permits LiveEvaluation, NoEvaluation {
    /** Starts recording a call of a tool that the computation makes. */
    ToolCall startToolCall(String tool);

    /** Starts recording a call of a model that the computation makes. */
    ModelCall startModelCall(String provider, String model);

    /** What work that is started elsewhere is to know, so that it is found within this: see {@link Run#traceContext}. */
    Optional<TraceContext> traceContext();

    /** Makes the computation current on this thread: see {@link Run#makeCurrent}. */
    Scope makeCurrent();

    /** Ends the computation with its reward. NaN counts as absent. */
    default void reward(double value) {
        reward(value, List.of());
    }

    /**
     * Ends the computation with its reward.
     *
     * @param components what explains the value; they add nothing to it
     */
    void reward(double value, List<RewardComponent> components);

    /** Ends the computation: there is no reward, and why. It is never counted as 0. */
    void absent(String reason);

    /** Ends the computation without a reward if it has not ended. */
    @Override
    void close();
}
