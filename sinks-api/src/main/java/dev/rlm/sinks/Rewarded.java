package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Base of {@link Run} and {@link Step}: an activity that has steps and rewards. */
public interface Rewarded extends Activity {
    /** Starts the next step in it, with what the agent sees before it acts. */
    default Step startStep(String observation) {
        return Step.NOOP;
    }

    /**
     * Does work as the next step in it, which is {@linkplain Activity#current current} on this thread meanwhile. Where the work returns and
     * has not ended the step, its action has worked; what it throws ends the step as {@link Step#leave} says, and is thrown on.
     *
     * @param observation what the agent sees before it acts
     * @throws X what the work throws
     */
    default <X extends Exception> void step(String observation, Work<? super Step, X> work) throws X {
        this.<Boolean, X>callStep(observation, step -> {
            work.run(step);
            return true;
        });
    }

    /** {@link #step} with a result. */
    default <T extends @Nullable Object, X extends Exception> T callStep(
            String observation, Computation<? super Step, T, X> work) throws X {
        Step step = startStep(observation);
        return CurrentScope.call(step, work, step::leave);
    }

    /** Starts the computation of a reward for it where that takes time, as a judge's does. */
    default Evaluation startEvaluation(String source) {
        return Evaluation.NOOP;
    }

    /** Gives it a reward, as its environment does. NaN counts as absent. */
    default void reward(double value) {
        reward("environment", value, List.of());
    }

    /**
     * Gives it a reward; there may be several.
     *
     * @param source who gives it
     * @param components what explains the value; they add nothing to it
     */
    default void reward(String source, double value, List<RewardComponent> components) {}

    /** Gives it a reward with its label, explanation, kind or range. */
    default void reward(String source, Reward reward) {}

    /** Says that a reward for it could not be computed, and why. It is never counted as 0. */
    default void rewardAbsent(String source, String reason) {}
}
