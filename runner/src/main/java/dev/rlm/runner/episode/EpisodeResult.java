package dev.rlm.runner.episode;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What became of one run, as the runner itself counted it.
 *
 * @param model who acted
 * @param undecided whether its first reward came after its end, so that it is open if it is solved
 * @param totalReward the sum of its finite rewards
 * @param rewardAbsent whether a reward could not be computed
 * @param error why it has failed, as it was thrown: secrets in it are not redacted, and a long one is cut; {@code null} where it
 *     has not
 */
public record EpisodeResult(
        String runId,
        String model,
        Outcome outcome,
        boolean solved,
        boolean undecided,
        int steps,
        int toolCalls,
        double totalReward,
        boolean rewardAbsent,
        Duration duration,
        @Nullable String error) {
    private static final int MAX_ERROR = 4_000;

    public EpisodeResult {
        error = error == null || error.length() <= MAX_ERROR ? error : error.substring(0, MAX_ERROR);
    }

    /** The same as figures count it. */
    public RunResult counted() {
        return new RunResult(outcome, solved, undecided, totalReward, rewardAbsent, steps, toolCalls, duration);
    }
}
