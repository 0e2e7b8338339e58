package dev.rlm.journal.report;

import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.schema.statistics.ClusteredMean;
import dev.rlm.sinks.schema.statistics.Estimate;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The rewards of some runs. Means are over the total rewards of runs whose reward is usable. */
final class RewardFigures {
    private static final int REASON_LENGTH = 120;
    private static final int REASONS = 1_000;
    private static final String OTHER = "(other)";

    private final ClusteredMean<SampleKey> mean = new ClusteredMean<>();
    private final Map<ComponentKey, Component> components = new TreeMap<>();
    private final Map<String, Long> absences = new HashMap<>();
    private double total;
    private double min = Double.NaN;
    private double max = Double.NaN;
    private long absent;
    private long infinite;
    private long outOfRange;
    private long unusable;
    private long unrewarded;
    private long rewardedLate;

    void add(RunFacts run) {
        total += run.summary().totalReward();
        absent += run.absentRewards();
        infinite += run.infiniteRewards();
        unrewarded += run.counts() && run.isUnrewarded() ? 1 : 0;
        rewardedLate += run.counts() && run.lateRewards() > 0 ? 1 : 0;
        if (run.hasUsableReward()) {
            addUsable(run.sample(), run.summary().totalReward());
        } else if (run.counts()) {
            unusable++;
        }
        run.rewards().forEach(this::add);
    }

    private void addUsable(SampleKey sample, double reward) {
        mean.add(sample, reward);
        min = Double.isNaN(min) ? reward : Math.min(min, reward);
        max = Double.isNaN(max) ? reward : Math.max(max, reward);
    }

    private void add(RewardGiven reward) {
        outOfRange += reward.isOutOfRange() ? 1 : 0;
        if (reward.absence() != null) {
            String reason = reward.absence().length() > REASON_LENGTH
                    ? reward.absence().substring(0, REASON_LENGTH) + "…"
                    : reward.absence();
            boolean known = absences.containsKey(reason) || absences.size() < REASONS;
            absences.merge(known ? reason : OTHER, 1L, Long::sum);
        }
        for (RewardComponent part : reward.components()) {
            components
                    .computeIfAbsent(new ComponentKey(part.name(), part.unit()), key -> new Component())
                    .add(part);
        }
    }

    /** The mean total reward. */
    Estimate mean() {
        return mean.estimate();
    }

    /** The sum of all runs' total rewards, those that are in no mean included. */
    double total() {
        return total;
    }

    double min() {
        return min;
    }

    double max() {
        return max;
    }

    /** How many rewards could not be computed. */
    long absent() {
        return absent;
    }

    /** How many rewards are infinite; no total has them, and their runs are in the means with what else they have. */
    long infinite() {
        return infinite;
    }

    /** Returns the number of rewards outside the range that their source promises; they count all the same. */
    long outOfRange() {
        return outOfRange;
    }

    /** How many of the completed and failed runs are in no mean, because one of their rewards is absent. */
    long unusable() {
        return unusable;
    }

    /** How many of the completed and failed runs never got a reward; their total is 0. */
    long unrewarded() {
        return unrewarded;
    }

    /** How many of the completed and failed runs got a reward after their end. */
    long rewardedLate() {
        return rewardedLate;
    }

    /** Why rewards are absent, the most frequent reason first. */
    List<Map.Entry<String, Long>> absences() {
        return absences.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .toList();
    }

    Map<ComponentKey, Component> components() {
        return components;
    }

    /** What rewards are made of, by name and unit. */
    record ComponentKey(String name, @Nullable String unit) implements Comparable<ComponentKey> {
        private static final Comparator<ComponentKey> ORDER =
                Comparator.comparing(ComponentKey::name).thenComparing(key -> key.unit == null ? "" : key.unit);

        @Override
        public int compareTo(ComponentKey other) {
            return ORDER.compare(this, other);
        }
    }

    /** One of the parts that explain rewards. */
    static final class Component {
        private long count;
        private long notFinite;
        private double sum;
        private double minWeight = Double.POSITIVE_INFINITY;
        private double maxWeight = Double.NEGATIVE_INFINITY;

        private void add(RewardComponent part) {
            minWeight = Math.min(minWeight, part.weight());
            maxWeight = Math.max(maxWeight, part.weight());
            if (Double.isFinite(part.value())) {
                count++;
                sum += part.value();
            } else {
                notFinite++;
            }
        }

        /** How often it was given as a finite number. */
        long count() {
            return count;
        }

        /** How often it was given as NaN or an infinity. */
        long notFinite() {
            return notFinite;
        }

        /** Of the finite values, before weighting. */
        double mean() {
            return sum / count;
        }

        double minWeight() {
            return minWeight;
        }

        double maxWeight() {
            return maxWeight;
        }
    }
}
