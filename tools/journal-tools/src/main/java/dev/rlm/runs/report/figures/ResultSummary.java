package dev.rlm.runs.report.figures;

import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.statistics.ClusterMoments;
import dev.rlm.sinks.schema.statistics.Estimate;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Figures of some runs, without the names of samples and groups: some bytes a run are kept, for percentiles of durations.
 *
 * @param samples number of samples that are known
 * @param minReward NaN where no run has a usable reward
 * @param maxReward NaN where no run has a usable reward
 * @param largest number of decided runs in the largest group
 * @param comparable number of groups with two usable rewards or more
 * @param flat number of those whose rewards are all the same
 * @param attempts estimates for several attempts, by their number; others are of no group
 */
public record ResultSummary(
        RunFigures runs,
        long samples,
        ClusterMoments solvedRate,
        ClusterMoments meanReward,
        double minReward,
        double maxReward,
        long largest,
        long comparable,
        long flat,
        Map<Integer, PassEstimates> attempts)
        implements Serializable {
    private static final PassEstimates NONE = new PassEstimates(ClusterMoments.NONE, ClusterMoments.NONE);

    /** Estimates that any, and that all, of so many attempts are solved. */
    record PassEstimates(ClusterMoments any, ClusterMoments all) implements Serializable {
        PassEstimates merge(PassEstimates other) {
            return new PassEstimates(any.merge(other.any), all.merge(other.all));
        }

        NamedFigures fields(int k) {
            Estimate estimate = any.estimate();
            return new NamedFigures()
                    .put("k", k)
                    .estimate("pass_at_k", estimate)
                    .estimate("pass_hat_k", all.estimate())
                    .put("groups", estimate.count())
                    .put("samples", estimate.clusters());
        }
    }

    /** Returns the figures of these runs and of others, which must have no sample in common. This one's runs are changed. */
    public ResultSummary merge(ResultSummary other) {
        runs.merge(other.runs);
        Map<Integer, PassEstimates> merged = new HashMap<>(attempts);
        other.attempts.forEach((k, more) -> merged.merge(k, more, PassEstimates::merge));
        return new ResultSummary(
                runs,
                samples + other.samples,
                solvedRate.merge(other.solvedRate),
                meanReward.merge(other.meanReward),
                Double.isNaN(minReward) ? other.minReward : Math.min(minReward, orElse(other.minReward, minReward)),
                Double.isNaN(maxReward) ? other.maxReward : Math.max(maxReward, orElse(other.maxReward, maxReward)),
                Math.max(largest, other.largest),
                comparable + other.comparable,
                flat + other.flat,
                merged);
    }

    private static double orElse(double value, double other) {
        return Double.isNaN(value) ? other : value;
    }

    /** The plain figures, with those counts in their places that are known. */
    public NamedFigures fields(Map<Count, Long> counts) {
        Estimate rate = solvedRate.estimate();
        Estimate mean = meanReward.estimate();
        return new NamedFigures()
                .put("runs", runs.runs())
                .put("completed", runs.ended(Outcome.COMPLETED))
                .put("failed", runs.ended(Outcome.FAILED))
                .put("aborted", runs.ended(Outcome.ABORTED))
                .put("abandoned", runs.ended(Outcome.ABANDONED))
                .put("running", runs.running())
                .put("samples", samples)
                .putAll(fields(counts, Count.INCOMPLETE_RUNS))
                .put("solved", runs.solved())
                .put("undecided", runs.undecided())
                .estimate("solved_rate", rate)
                .put("solved_rate_runs", rate.count())
                .put("groups_compared", comparable)
                .put("groups_without_signal", flat)
                .estimate("mean_reward", mean)
                .put("mean_reward_runs", mean.count())
                .put("min_reward", minReward)
                .put("max_reward", maxReward)
                .put("total_reward", runs.totalReward())
                .putAll(fields(counts, Count.ABSENT_REWARDS, Count.NOT_FINITE_REWARDS, Count.OUT_OF_RANGE_REWARDS))
                .put("runs_without_usable_reward", runs.unusable())
                .put("unrewarded_runs", runs.unrewarded())
                .putAll(fields(counts, Count.LATE_REWARDED_RUNS))
                .put("steps", runs.steps())
                .putAll(fields(counts, Count.RUNS_WITHOUT_TIMES))
                .percentiles("duration_", runs.durations());
    }

    private static NamedFigures fields(Map<Count, Long> counts, Count... which) {
        NamedFigures fields = new NamedFigures();
        Stream.of(which).filter(counts::containsKey).forEach(count -> fields.put(count.field(), counts.get(count)));
        return fields;
    }

    /** Returns the estimates for so many attempts. */
    public NamedFigures attempts(int k) {
        return attempts.getOrDefault(k, NONE).fields(k);
    }
}
