package dev.rlm.runner.episode;

import dev.rlm.sinks.event.Outcome;
import java.time.Duration;

/**
 * What became of one run, as the runner itself counted it.
 *
 * @param model who acted
 * @param totalReward the sum of its rewards
 */
public record EpisodeResult(
        String runId,
        String model,
        Outcome outcome,
        boolean solved,
        int steps,
        int toolCalls,
        double totalReward,
        Duration duration) {
    /** Whether means may use the reward: not where the run was stopped before its rewards were given. */
    public boolean hasUsableReward() {
        return outcome == Outcome.COMPLETED || outcome == Outcome.FAILED;
    }
}
