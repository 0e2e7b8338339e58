package dev.rlm.sinks;

import org.jspecify.annotations.Nullable;

/**
 * Records one step of a {@link Run}: an action, what came of it, and its rewards. It is that of {@link Rewarded#step}, or got from
 * {@link Rewarded#startStep} and used in a try block: where the block is left without {@link #complete} or {@link #fail}, the step has
 * failed. Calls, spans and rewards that are being computed in
 * it may go on after it, until the run's end.
 *
 * <p>Safe for use by several threads, and may be ended on another than it was started on. No method throws. What is said of
 * it after its end is counted as dropped, save that a reward still counts for its run.
 */
public interface Step extends Rewarded, AutoCloseable {
    /** The shared step that records nothing. */
    Step NOOP = new Step() {};

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

    /** Ends the step: the action worked. */
    default void complete(String output) {}

    /** Ends the step: the action did not work. */
    default void fail(String error) {
        fail("", error);
    }

    /** Ends the step: the action did not work, but there is an output. */
    default void fail(String output, String error) {}

    /** Ends the step: the action threw that, whose class is its {@linkplain dev.rlm.sinks.event.StepEnded#errorType error type}. */
    default void fail(Throwable error) {
        fail("", String.valueOf(error));
    }

    /** Ends the step: it was stopped from outside. */
    default void abort(String reason) {}

    /** Ends the step: it took longer than it may. For who keeps the time; {@link RunSpec.Builder#stepTimeout} does. */
    default void expire(String reason) {}

    /**
     * Ends the step if it has not ended, by how its work was left.
     *
     * @param thrown what the work threw, by which the step has failed, or was aborted where that
     *     {@linkplain dev.rlm.sinks.event.RunStatus#codeOf tells of a cancellation} or this thread is interrupted; {@code null} where it returned, and the action worked
     */
    default void leave(@Nullable Throwable thrown) {}

    /** Ends the step as failed if it has not ended. */
    @Override
    default void close() {}
}
