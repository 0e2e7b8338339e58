package dev.rlm.runner.episode;

import dev.rlm.sinks.event.Outcome;
import java.time.Duration;

/**
 * What became of one run, as the runner itself counted it.
 *
 * @param model who acted
 * @param totalReward the sum of its finite rewards
 * @param rewardAbsent whether a reward could not be computed
 */
public record EpisodeResult(
        String runId,
        String model,
        Outcome outcome,
        boolean solved,
        int steps,
        int toolCalls,
        double totalReward,
        boolean rewardAbsent,
        Duration duration) {
    /** Whether means may use the total: not where a reward is absent, nor where the run was stopped before its end. */
    public boolean hasUsableReward() {
        return !rewardAbsent && outcome.isOwnEnd();
    }
}
