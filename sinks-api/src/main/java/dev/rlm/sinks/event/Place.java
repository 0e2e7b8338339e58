package dev.rlm.sinks.event;

import org.jspecify.annotations.Nullable;

/**
 * Place in a run where a thread is at work: in the run as a whole, in one of its steps, or in work within these that will
 * have a span of its own.
 *
 * @param step the step, or the one that the work lies in; {@code null} for the run as a whole
 * @param work the work; {@code null} for the step, or the run, itself
 */
public record Place(
        RunInfo run, @Nullable StepStarted step, @Nullable Work work) {
    /** The run as a whole. */
    public static Place of(RunInfo run) {
        return new Place(run, null, null);
    }

    /** A step. */
    public static Place of(StepStarted step) {
        return new Place(step.run(), step, null);
    }

    /** Work that lies here. */
    public Place with(Work inner) {
        return new Place(run, step, inner);
    }

    /**
     * Work that goes on. Its event comes at its end: a {@link SpanRecorded}, or the {@link RewardGiven} of a computation.
     *
     * @param seq the number that its event will have
     * @param startNanos when it started
     * @param kind which event that is
     * @param name the span's name, or who gives the reward
     * @param outer the work that it lies in; {@code null} for the step or the run
     */
    public record Work(
            long seq,
            long startNanos,
            Kind kind,
            String name,
            @Nullable Work outer) {
        /** The number of the work that it lies in; 0 for the step or the run. */
        public long parentSeq() {
            return outer == null ? 0 : outer.seq();
        }

        /** Kind of work. */
        public enum Kind {
            /** A stretch of time that the user named. */
            SPAN,
            /** The computation of a reward. */
            EVALUATION
        }
    }
}
