package dev.rlm.journal.report;

import dev.rlm.sinks.schema.statistics.ClusteredMean;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.Groups;
import java.util.List;
import java.util.Map;

/** How many runs are solved, and how likely so many attempts are. */
final class PassFigures {
    private final PassRule rule;
    private final ClusteredMean<SampleKey> rate = new ClusteredMean<>();
    private final Groups<GroupKey> groups = new Groups<>(GroupKey::sample);
    private long solved;
    private long undecided;

    PassFigures(PassRule rule) {
        this.rule = rule;
    }

    void add(RunFacts run) {
        if (!run.counts()) {
            return;
        }
        Group group = groups.get(GroupKey.of(run.run(), run.sample()));
        switch (run.verdict(rule)) {
            case UNDECIDED -> undecided++;
            case SOLVED -> {
                solved++;
                group.add(true);
                rate.add(run.sample(), 1);
            }
            case UNSOLVED -> {
                group.add(false);
                rate.add(run.sample(), 0);
            }
        }
        if (run.hasUsableReward()) {
            group.add(run.summary().totalReward());
        }
    }

    /** Of the completed and failed runs. */
    long solved() {
        return solved;
    }

    /** Of the completed and failed runs those that are in no rate, since their rewards came after their end. */
    long undecided() {
        return undecided;
    }

    /** The share of the solved among the completed and failed runs. */
    Estimate rate() {
        return rate.estimate();
    }

    /** The runs of a sample by one policy. */
    Groups<GroupKey> groups() {
        return groups;
    }

    /** The groups without learning signal, by their names. */
    List<Map.Entry<GroupKey, Group>> groupsWithoutSignal() {
        return groups.flat().sorted(Map.Entry.comparingByKey(GroupKey.ORDER)).toList();
    }
}
