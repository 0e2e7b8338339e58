package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records one step of a {@link Run}: an action, what came of it, and its rewards. Used in a try block: where the block is
 * left without {@link #complete} or {@link #fail}, the step has failed. Calls, spans and rewards that are being computed in
 * it may go on after it, until the run's end.
 *
 * <p>Safe for use by several threads, and may be ended on another than it was started on. No method throws. What is said of
 * it after its end is counted as dropped, save that a reward still counts for its run.
 */
public interface Step extends Activity, AutoCloseable {
    /** Returns the shared step that records nothing. */
    static Step noop() {
        return Noop.STEP;
    }

    /** Starts a step nested in this one. */
    default Step startStep(String observation) {
        return Step.noop();
    }

    /**
     * Says what the agent does.
     *
     * @param type the kind of action, such as {@code run_python} or {@code submit}
     * @param code the action itself
     */
    default void action(String type, String code) {}

    /** Notes a digest of the environment's state before and after the step; {@code null} where one is not known. */
    default void state(@Nullable String before, @Nullable String after) {}

    /** A further name to find the step by. */
    default void tag(String name, String value) {}

    /** Starts the computation of a reward of the step where it takes time, as a judge's does. */
    default Evaluation startEvaluation(String source) {
        return Evaluation.noop();
    }

    /** Starts a span of that name in the step. */
    default Span span(String name) {
        return Span.noop();
    }

    /** Gives a reward to the step, as its environment does. NaN counts as absent. */
    default void reward(double value) {
        reward("environment", value, List.of());
    }

    /**
     * Gives a reward to the step; there may be several.
     *
     * @param source who gives it
     * @param components what explains the value; they add nothing to it
     */
    default void reward(String source, double value, List<RewardComponent> components) {}

    /** Gives a reward to the step, with its label, explanation, kind or range. */
    default void reward(String source, Reward reward) {}

    /** Says that a reward of the step could not be computed, and why. It is never counted as 0. */
    default void rewardAbsent(String source, String reason) {}

    /** Ends the step: the action worked. */
    default void complete(String output) {}

    /** Ends the step: the action did not work. */
    default void fail(String error) {
        fail("", error);
    }

    /** Ends the step: the action did not work, but there is an output. */
    default void fail(String output, String error) {}

    /** Ends the step: it was stopped from outside. */
    default void abort(String reason) {}

    /** Ends the step: it took longer than it may. For who keeps the time; {@link RunSpec.Builder#stepTimeout} does. */
    default void expire(String reason) {}

    /** Ends the step as failed if it has not ended. */
    @Override
    default void close() {}
}
