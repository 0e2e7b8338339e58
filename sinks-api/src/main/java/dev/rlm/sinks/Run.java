package dev.rlm.sinks;

import dev.rlm.sinks.event.RunStatus;
import org.jspecify.annotations.Nullable;

/**
 * Records one run, that of {@link Sinks#run} or one got from {@link Sinks#startRun}. The latter is used in a try block, so that its end
 * cannot be forgotten: where the block is left without {@link #complete}, {@link #truncate} or {@link #fail}, the run has been aborted,
 * for a try block does not say whether anything was thrown in it.
 *
 * <p>Its end ends what is open in it, and that is in the record: calls, spans and rewards that are being computed, as failed
 * or absent, and then the steps, as aborted.
 *
 * <p>Safe for use by several threads. No method throws, and none waits longer than {@link Sink#isDurable} says. What is
 * recorded after the end is counted as dropped.
 */
public interface Run extends Rewarded, AutoCloseable {
    /** The shared run that records nothing. */
    Run NOOP = new Run() {};

    /** Starts the next step; the agent sees nothing new. */
    default Step startStep() {
        return startStep("");
    }

    /** Notes a digest of the environment's state before the first step; the run's end will carry it. */
    default void initialState(String digest) {}

    /** A number of the run that its end will carry. */
    default void metric(String name, double value) {}

    /** Ends the run: it ran to its end. */
    default void complete(@Nullable String finalAnswer) {
        complete(finalAnswer, null);
    }

    /** Ends the run: it ran to its end, for a reason such as {@code stop}. */
    default void complete(@Nullable String finalAnswer, @Nullable String terminationReason) {}

    /** Ends the run: it was cut off by a limit such as {@code max_steps}. It counts as completed. */
    default void truncate(String terminationReason, @Nullable String finalAnswer) {}

    /** Ends the run: an error ended it. */
    default void fail(Throwable error) {
        fail(RunStatus.INTERNAL, error);
    }

    /**
     * Ends the run: an error ended it.
     *
     * @param code one of {@link RunStatus}'s
     */
    default void fail(int code, Throwable error) {}

    /** Ends the run: it was stopped from outside. */
    default void abort(String reason) {}

    /**
     * Ends the run if it has not ended, by how its work was left.
     *
     * @param thrown what the work threw, by which the run has failed, or was aborted where that
     *     {@linkplain RunStatus#codeOf tells of a cancellation} or this thread is interrupted; {@code null} where it returned, and the run is complete
     */
    default void leave(@Nullable Throwable thrown) {}

    /** Aborts the run if it has not ended. */
    @Override
    default void close() {}
}
