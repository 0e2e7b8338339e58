package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.schema.PassEstimate;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sums over the episodes of a job, or of one model or split of it, which its figures are made of. On the lane only. */
final class FigureSums {
    private final Map<FigureGroup.Size, Long> groups = new HashMap<>(); // how many have that size
    private long episodes;
    private long failed;
    private long solved;
    private long undecided;
    private long withoutUsableReward;
    private double totalReward;
    private double lost; // by the rounding of the former
    private boolean changed;

    /** An episode that counts, or with -1 no longer does. */
    void count(ScoredEpisode episode, int sign) {
        changed = true;
        episodes += sign;
        failed += episode.failed() ? sign : 0;
        if (episode.undecided()) {
            undecided += sign;
        } else if (episode.solved()) {
            solved += sign;
        }
        if (episode.usable()) {
            add(sign * episode.totalReward());
        } else {
            withoutUsableReward += sign;
        }
    }

    /** Keeps what the sum has no digits for, as Neumaier does: 0.78 is shown so. */
    private void add(double reward) {
        double sum = totalReward + reward;
        lost += Math.abs(totalReward) >= Math.abs(reward) ? totalReward - sum + reward : reward - sum + totalReward;
        totalReward = sum;
    }

    /** One of its groups is larger or smaller than before. */
    void resized(FigureGroup.Size before, FigureGroup.Size after) {
        groups.computeIfPresent(before, (size, count) -> count == 1 ? null : count - 1);
        if (after.attempts() > 0) {
            groups.merge(after, 1L, Long::sum);
        }
    }

    /** Whether there is anything that has not been {@linkplain #told told}. */
    boolean isChanged() {
        return changed;
    }

    /** The figures as they stand are told. */
    void told() {
        changed = false;
    }

    /** The figures as they stand. */
    JobMetrics metrics() {
        return new JobMetrics(
                episodes,
                failed,
                undecided,
                withoutUsableReward,
                (double) solved / (episodes - undecided),
                (Double.isFinite(totalReward) ? totalReward + lost : totalReward) / (episodes - withoutUsableReward),
                passAt());
    }

    private SortedMap<Integer, Double> passAt() {
        SortedMap<Integer, Double> passAt = new TreeMap<>();
        long largest = groups.keySet().stream()
                .mapToLong(FigureGroup.Size::attempts)
                .max()
                .orElse(0);
        if (largest > 0) {
            PassEstimate.ks(largest).forEach(k -> passAt.put(k, passAt(k)));
        }
        return passAt;
    }

    private double passAt(int k) {
        double sum = 0;
        long large = 0;
        for (Map.Entry<FigureGroup.Size, Long> entry : groups.entrySet()) {
            FigureGroup.Size size = entry.getKey();
            if (size.attempts() >= k) {
                sum += entry.getValue() * PassEstimate.anyOf(k, size.attempts(), size.solved());
                large += entry.getValue();
            }
        }
        return sum / large;
    }
}
