package dev.rlm.engine;

import dev.rlm.sinks.event.Outcome;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Attempts at a rollout so far: the last one counts.
 *
 * @param attempts the number of the last one; 0 where none was started
 * @param failures number of attempts that have failed
 * @param last result of the last one; {@code null} if none was started
 */
public record AttemptHistory(
        int attempts, int failures, @Nullable EpisodeResult last) implements Serializable {
    /** Nothing has been tried. */
    public static final AttemptHistory NEW = new AttemptHistory(0, 0, null);

    /** The same after one more attempt. */
    public AttemptHistory after(EpisodeResult result) {
        return after(attempts + 1, result);
    }

    /** The same after one more attempt, which has that number. */
    public AttemptHistory after(int attempt, EpisodeResult result) {
        return new AttemptHistory(attempt, failures + (result.outcome() == Outcome.FAILED ? 1 : 0), result);
    }

    /**
     * Returns whether it is not tried again: an attempt was completed, or more have failed than may.
     *
     * @param retries number of attempts that may fail before the last one
     */
    public boolean isOver(int retries) {
        return last != null && (last.outcome() == Outcome.COMPLETED || hasFailed(retries));
    }

    /** Returns whether it has failed for good: the last attempt failed, and more than {@code retries} have. */
    public boolean hasFailed(int retries) {
        return last != null && last.outcome() == Outcome.FAILED && failures > retries;
    }

    /** Returns whether it was tried again after a failure. */
    public boolean wasRetried() {
        return last != null && failures > (last.outcome() == Outcome.FAILED ? 1 : 0);
    }
}
