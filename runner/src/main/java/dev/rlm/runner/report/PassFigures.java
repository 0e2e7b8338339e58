package dev.rlm.runner.report;

import dev.rlm.runner.report.statistics.ClusteredMean;
import dev.rlm.runner.report.statistics.Estimate;
import dev.rlm.runner.report.statistics.PassEstimate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many runs are solved, and how likely so many attempts are. */
final class PassFigures {
    private final PassRule rule;
    private final ClusteredMean<SampleKey> rate = new ClusteredMean<>();
    private final Map<GroupKey, Group> groups = new HashMap<>();
    private long solved;
    private long undecided;

    PassFigures(PassRule rule) {
        this.rule = rule;
    }

    void add(RunFacts run) {
        if (!run.counts()) {
            return;
        }
        Group group = groups.computeIfAbsent(GroupKey.of(run.run(), run.sample()), key -> new Group());
        switch (run.verdict(rule)) {
            case UNDECIDED -> undecided++;
            case SOLVED -> {
                solved++;
                group.solved++;
                group.decided++;
                rate.add(run.sample(), 1);
            }
            case UNSOLVED -> {
                group.decided++;
                rate.add(run.sample(), 0);
            }
        }
        if (run.hasUsableReward()) {
            group.reward(run.summary().totalReward());
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

    /** pass@k: the mean over the groups with at least k runs. */
    Estimate anyOf(int k) {
        return over(k, PassEstimate::anyOf);
    }

    /** pass^k: likewise. */
    Estimate allOf(int k) {
        return over(k, PassEstimate::allOf);
    }

    private Estimate over(int k, Estimator estimator) {
        ClusteredMean<SampleKey> mean = new ClusteredMean<>();
        groups.forEach((key, group) -> {
            if (group.decided >= k) {
                mean.add(key.sample(), estimator.of(k, group.decided, group.solved));
            }
        });
        return mean.estimate();
    }

    /** How many runs the largest group has. */
    long largestGroup() {
        return groups.values().stream().mapToLong(group -> group.decided).max().orElse(0);
    }

    /** The groups with two usable rewards or more: only these can tell one attempt from another. */
    long comparableGroups() {
        return groups.values().stream().filter(Group::isComparable).count();
    }

    /** Of these the ones whose rewards are all the same, by their names. */
    List<Map.Entry<GroupKey, Group>> groupsWithoutSignal() {
        return groups.entrySet().stream()
                .filter(entry ->
                        entry.getValue().isComparable() && entry.getValue().isFlat())
                .sorted(Map.Entry.comparingByKey(GroupKey.ORDER))
                .toList();
    }

    @FunctionalInterface
    private interface Estimator {
        double of(int k, long n, long c);
    }

    /** The runs of one group. */
    static final class Group {
        private static final double SAME = 1e-9; // sums of the same numbers in another order differ by less

        private long decided;
        private long solved;
        private long rewards;
        private double min = Double.POSITIVE_INFINITY;
        private double max = Double.NEGATIVE_INFINITY;

        private void reward(double value) {
            rewards++;
            min = Math.min(min, value);
            max = Math.max(max, value);
        }

        private boolean isComparable() {
            return rewards > 1;
        }

        private boolean isFlat() {
            if (Double.isInfinite(min) || Double.isInfinite(max)) {
                return min == max; // any difference from an infinity is within its size
            }
            return max - min <= SAME * Math.max(1, Math.max(Math.abs(min), Math.abs(max)));
        }

        /** How many runs have a usable reward. */
        long rewards() {
            return rewards;
        }

        /** The reward that they all have, where they have the same. */
        double reward() {
            return min;
        }
    }
}
