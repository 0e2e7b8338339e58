package dev.rlm.journal.report;

import dev.rlm.journal.NaturalOrder;
import dev.rlm.journal.Scores;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.RunResult;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.ClusteredMean;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.Groups;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What the runs of a row came to, added a run at a time. Some bytes a run and call are kept, and no texts. */
final class RowFigures implements RunCounter {
    private final RunFigures runs = new RunFigures();
    private final Ends ends = new Ends();
    private final Map<Count, Long> counts = new EnumMap<>(Count.class);
    private final Set<SampleKey> samples = new HashSet<>();
    private final ClusteredMean<SampleKey> solvedRate = new ClusteredMean<>();
    private final ClusteredMean<SampleKey> meanReward = new ClusteredMean<>();
    private final Groups<GroupKey> groups = new Groups<>(GroupKey::sample);
    private final RewardFigures rewards = new RewardFigures();
    private final ScoreFigures scores = new ScoreFigures();
    private final CostFigures costs = new CostFigures();
    private double minReward = Double.NaN;
    private double maxReward = Double.NaN;

    @Override
    public void add(RunFacts run) {
        RunResult result = run.result();
        runs.add(result);
        ends.add(run.summary());
        for (Count count : Count.values()) {
            counts.merge(count, count.of(run), Long::sum);
        }
        if (run.sample().isKnown()) {
            samples.add(run.sample());
        }
        if (result.isDecided()) {
            solvedRate.add(run.sample(), result.solved() ? 1 : 0);
        }
        if (result.hasUsableReward()) {
            double reward = result.totalReward();
            meanReward.add(run.sample(), reward);
            minReward = Double.isNaN(minReward) ? reward : Math.min(minReward, reward);
            maxReward = Double.isNaN(maxReward) ? reward : Math.max(maxReward, reward);
        }
        result.addTo(groups, GroupKey.of(run.summary().row().run()));
        run.rewards().forEach(rewards::add);
        Scores.of(run.rows()).forEach(scores::add);
        costs.add(run);
    }

    RunFigures runs() {
        return runs;
    }

    Ends ends() {
        return ends;
    }

    long count(Count count) {
        return counts.getOrDefault(count, 0L);
    }

    Groups<GroupKey> groups() {
        return groups;
    }

    /** The groups without learning signal, by their names. */
    List<Map.Entry<GroupKey, Group>> groupsWithoutSignal() {
        return groups.flat()
                .sorted(Map.Entry.comparingByKey(NaturalOrder.GROUPS))
                .toList();
    }

    RewardFigures rewards() {
        return rewards;
    }

    ScoreFigures scores() {
        return scores;
    }

    CostFigures costs() {
        return costs;
    }

    /** The plain figures. */
    Fields fields() {
        Estimate rate = solvedRate.estimate();
        Estimate mean = meanReward.estimate();
        return new Fields()
                .put("runs", runs.runs())
                .put("completed", runs.ended(Outcome.COMPLETED))
                .put("failed", runs.ended(Outcome.FAILED))
                .put("aborted", runs.ended(Outcome.ABORTED))
                .put("abandoned", runs.ended(Outcome.ABANDONED))
                .put("running", runs.running())
                .put("samples", samples.size())
                .putAll(counts(Count.INCOMPLETE_RUNS))
                .put("solved", runs.solved())
                .put("undecided", runs.undecided())
                .estimate("solved_rate", rate)
                .put("solved_rate_runs", rate.count())
                .put("groups_compared", groups.comparable())
                .put("groups_without_signal", groups.flat().count())
                .estimate("mean_reward", mean)
                .put("mean_reward_runs", mean.count())
                .put("min_reward", minReward)
                .put("max_reward", maxReward)
                .put("total_reward", runs.totalReward())
                .putAll(counts(Count.ABSENT_REWARDS, Count.NOT_FINITE_REWARDS, Count.OUT_OF_RANGE_REWARDS))
                .put("runs_without_usable_reward", runs.unusable())
                .putAll(counts(Count.UNREWARDED_RUNS, Count.LATE_REWARDED_RUNS))
                .put("steps", runs.steps())
                .putAll(counts(Count.RUNS_WITHOUT_TIMES))
                .percentiles("duration_", runs.durations())
                .putAll(costs.fields());
    }

    private Fields counts(Count... which) {
        Fields fields = new Fields();
        Stream.of(which).forEach(count -> fields.put(count.field(), count(count)));
        return fields;
    }

    /** What is expected of so many attempts. */
    Fields attempts(int k) {
        Estimate any = groups.anyOf(k);
        return new Fields()
                .put("k", k)
                .estimate("pass_at_k", any)
                .estimate("pass_hat_k", groups.allOf(k))
                .put("groups", any.count())
                .put("samples", any.clusters());
    }
}
