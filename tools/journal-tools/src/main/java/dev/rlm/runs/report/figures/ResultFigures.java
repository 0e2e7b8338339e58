package dev.rlm.runs.report.figures;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.RunResult;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.ClusteredMean;
import dev.rlm.sinks.schema.statistics.Groups;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Figures that follow from the results of runs alone, added a run at a time. Some bytes a run and group are kept, and no texts. */
public final class ResultFigures {
    private final RunFigures runs = new RunFigures();
    private final Set<SampleKey> samples = new HashSet<>();
    private final ClusteredMean<SampleKey> solvedRate = new ClusteredMean<>();
    private final ClusteredMean<SampleKey> meanReward = new ClusteredMean<>();
    private final Groups<GroupKey> groups = new Groups<>(GroupKey::sample);
    private double minReward = Double.NaN;
    private double maxReward = Double.NaN;

    public void add(RunInfo run, RunResult result) {
        GroupKey group = GroupKey.of(run);
        SampleKey sample = group.sample();
        runs.add(result);
        if (sample.isKnown()) {
            samples.add(sample);
        }
        if (result.isDecided()) {
            solvedRate.add(sample, result.isSolved() ? 1 : 0);
        }
        Double reward = result.usableReward();
        if (reward != null) {
            meanReward.add(sample, reward);
            minReward = Double.isNaN(minReward) ? reward : Math.min(minReward, reward);
            maxReward = Double.isNaN(maxReward) ? reward : Math.max(maxReward, reward);
        }
        result.addTo(groups, group);
    }

    RunFigures runs() {
        return runs;
    }

    public Groups<GroupKey> groups() {
        return groups;
    }

    /** Returns what is expected of so many attempts. */
    ResultSummary.PassEstimates attempts(int k) {
        return new ResultSummary.PassEstimates(groups.anyMoments(k), groups.allMoments(k));
    }

    /**
     * Returns the figures so far.
     *
     * @param ks for which k there is to be a pass@k
     */
    public ResultSummary summary(Collection<Integer> ks) {
        Map<Integer, ResultSummary.PassEstimates> attempts = new HashMap<>();
        ks.forEach(k -> attempts.put(k, attempts(k)));
        return new ResultSummary(
                runs,
                samples.size(),
                solvedRate.moments(),
                meanReward.moments(),
                minReward,
                maxReward,
                groups.largest(),
                groups.comparable(),
                groups.flat().count(),
                attempts);
    }
}
