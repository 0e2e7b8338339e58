package dev.rlm.engine;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunResult;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Result of one attempt at an episode, which is a run, as the runner itself counted it.
 *
 * @param model name of the model that acted
 * @param solved {@code null} where that is open, as where no reward was given
 * @param totalReward the sum of its finite rewards; {@code null} where none was given
 * @param rewardAbsent whether a reward could not be computed
 * @param errorType the class of what was thrown; {@code null} where it has not failed, or that is not known
 * @param error reason why it has failed, as it was thrown: secrets in it are not redacted, and a long one is cut;
 *     {@code null} if it has not
 */
public record EpisodeResult(
        String runId,
        String model,
        Outcome outcome,
        @Nullable Boolean solved,
        int steps,
        int toolCalls,
        @Nullable Double totalReward,
        boolean rewardAbsent,
        Duration duration,
        @Nullable String errorType,
        @Nullable String error)
        implements Serializable {
    private static final int MAX_ERROR = 4_000;

    public EpisodeResult {
        error = error == null || error.length() <= MAX_ERROR ? error : error.substring(0, MAX_ERROR);
    }

    /** Returns the class of the error and its message; empty where nothing is known. Secrets in it are not redacted. */
    public String failure() {
        String message = Objects.requireNonNullElse(error, "");
        return errorType == null ? message : errorType.endsWith(message) ? errorType : errorType + ": " + message;
    }

    /** The same as figures count it. */
    public RunResult counted() {
        return new RunResult(outcome, solved, totalReward, rewardAbsent, steps, toolCalls, duration);
    }
}
