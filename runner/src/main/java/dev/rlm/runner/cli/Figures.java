package dev.rlm.runner.cli;

import dev.rlm.runner.episode.EpisodeResult;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.List;

/**
 * What a number of runs came to.
 *
 * @param solved of the completed and failed
 * @param meanReward over the runs with a usable reward; NaN where there is none
 * @param passAt1 the solved among the completed and failed; NaN where there is none
 * @param p50 the median of the durations of the completed and failed
 * @param p95 the duration that 95 in 100 do not exceed
 * @param unusable the completed and failed that are in no mean, because a reward of theirs is absent
 */
record Figures(
        int runs,
        int completed,
        int failed,
        int aborted,
        int solved,
        long steps,
        long toolCalls,
        double totalReward,
        double meanReward,
        double passAt1,
        Duration p50,
        Duration p95,
        int unusable) {
    static Figures of(List<EpisodeResult> results) {
        int completed = count(results, Outcome.COMPLETED);
        int failed = count(results, Outcome.FAILED);
        List<EpisodeResult> ended =
                results.stream().filter(result -> result.outcome().isOwnEnd()).toList();
        int solved = (int) ended.stream().filter(EpisodeResult::solved).count();
        List<Duration> durations =
                ended.stream().map(EpisodeResult::duration).sorted().toList();
        return new Figures(
                results.size(),
                completed,
                failed,
                count(results, Outcome.ABORTED),
                solved,
                results.stream().mapToLong(EpisodeResult::steps).sum(),
                results.stream().mapToLong(EpisodeResult::toolCalls).sum(),
                results.stream().mapToDouble(EpisodeResult::totalReward).sum(),
                results.stream()
                        .filter(EpisodeResult::hasUsableReward)
                        .mapToDouble(EpisodeResult::totalReward)
                        .average()
                        .orElse(Double.NaN),
                (double) solved / (completed + failed),
                percentile(durations, 50),
                percentile(durations, 95),
                (int) ended.stream().filter(result -> !result.hasUsableReward()).count());
    }

    private static int count(List<EpisodeResult> results, Outcome outcome) {
        return (int)
                results.stream().filter(result -> result.outcome() == outcome).count();
    }

    /** By nearest rank: a duration that one of the runs really had. */
    private static Duration percentile(List<Duration> sorted, int percent) {
        return sorted.isEmpty() ? Duration.ZERO : sorted.get((sorted.size() * percent + 99) / 100 - 1);
    }
}
