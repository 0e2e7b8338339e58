package dev.rlm.runner.job;

import dev.rlm.runner.episode.EpisodeResult;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.statistics.Lengths;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a number of runs came to.
 *
 * @param abandoned those of an earlier part of the job whose process died, and that were not tried again
 * @param solved of the completed and failed
 * @param undecided of these the ones in no rate, whose first reward came after their end
 * @param meanReward over the runs with a usable reward; NaN where there is none
 * @param passAt1 the solved among the decided of the completed and failed; NaN where there is none
 * @param p50 the median of the durations of the completed and failed; {@code null} where there is none
 * @param p95 the duration that 95 in 100 do not exceed; likewise
 * @param unusable the completed and failed that are in no mean, because a reward of theirs is absent
 */
record Figures(
        int runs,
        int completed,
        int failed,
        int aborted,
        int abandoned,
        int solved,
        int undecided,
        long steps,
        long toolCalls,
        double totalReward,
        double meanReward,
        double passAt1,
        @Nullable Duration p50,
        @Nullable Duration p95,
        int unusable) {
    static Figures of(List<EpisodeResult> results) {
        int completed = count(results, Outcome.COMPLETED);
        int failed = count(results, Outcome.FAILED);
        List<EpisodeResult> ended =
                results.stream().filter(result -> result.outcome().isOwnEnd()).toList();
        int solved = (int) ended.stream().filter(EpisodeResult::solved).count();
        int undecided = (int) ended.stream().filter(EpisodeResult::undecided).count();
        Lengths durations = new Lengths();
        ended.forEach(result -> durations.add(result.duration()));
        return new Figures(
                results.size(),
                completed,
                failed,
                count(results, Outcome.ABORTED),
                count(results, Outcome.ABANDONED),
                solved,
                undecided,
                results.stream().mapToLong(EpisodeResult::steps).sum(),
                results.stream().mapToLong(EpisodeResult::toolCalls).sum(),
                results.stream().mapToDouble(EpisodeResult::totalReward).sum(),
                results.stream()
                        .filter(EpisodeResult::hasUsableReward)
                        .mapToDouble(EpisodeResult::totalReward)
                        .average()
                        .orElse(Double.NaN),
                (double) solved / (completed + failed - undecided),
                durations.percentile(50),
                durations.percentile(95),
                (int) ended.stream().filter(result -> !result.hasUsableReward()).count());
    }

    private static int count(List<EpisodeResult> results, Outcome outcome) {
        return (int)
                results.stream().filter(result -> result.outcome() == outcome).count();
    }
}
