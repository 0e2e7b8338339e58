package dev.rlm.runner.episode;

/**
 * A logical episode that was asked for. Its attempts are runs, made when they are due.
 *
 * @param before how it stood before the job
 */
public record Rollout(Standing before, Attempts attempts) {
    /** One that is run as it is, and not again. */
    static Rollout of(Episode episode) {
        return new Rollout(Standing.NEW, (number, failures) -> episode);
    }

    /** Makes the attempts at a rollout. */
    @FunctionalInterface
    public interface Attempts {
        /**
         * Another attempt, as a run of its own.
         *
         * @param number from 1
         * @param failures how many have failed before it. It alone decides how the attempt differs from the one before: one
         *     that was cut off is done again as it was
         */
        Episode attempt(int number, int failures);
    }
}
