package dev.rlm.journal.report;

import dev.rlm.sinks.event.RewardGiven;
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
        result.addTo(groups, GroupKey.of(run.summary().run()));
        run.all(RewardGiven.class).forEach(rewards::add);
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

    /** How many samples the runs are of, as far as they tell. */
    int samples() {
        return samples.size();
    }

    Estimate solvedRate() {
        return solvedRate.estimate();
    }

    /** Of the total rewards of runs whose reward is usable, as are the lowest and the highest; NaN where there is none. */
    Estimate meanReward() {
        return meanReward.estimate();
    }

    double minReward() {
        return minReward;
    }

    double maxReward() {
        return maxReward;
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

    CostFigures costs() {
        return costs;
    }
}
