package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.RunResult;
import dev.rlm.sinks.schema.statistics.PassEstimate;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Figures of the episodes of a job that count, or of one model or split of it. On the lane only. */
final class FigureSums {
    private final RunFigures figures = new RunFigures();
    private final Map<FigureGroup.Size, Long> groups = new HashMap<>(); // how many have that size
    private boolean changed;

    void add(RunResult episode) {
        changed = true;
        figures.add(episode);
    }

    /** An episode counts no longer. */
    void remove(RunResult episode) {
        changed = true;
        figures.remove(episode);
    }

    /** One of its groups is larger or smaller than before. */
    void resized(FigureGroup.Size before, FigureGroup.Size after) {
        groups.computeIfPresent(before, (size, count) -> count == 1 ? null : count - 1);
        if (after.attempts() > 0) {
            groups.merge(after, 1L, Long::sum);
        }
    }

    /** Returns whether an episode was added or removed since the figures were last {@linkplain #told told}. */
    boolean isChanged() {
        return changed;
    }

    /** The figures as they stand are told. */
    void told() {
        changed = false;
    }

    /** The figures as they stand. */
    JobMetrics metrics() {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put(JobMetrics.EPISODES, (double) figures.counted());
        values.put(JobMetrics.FAILED, (double) figures.ended(Outcome.FAILED));
        values.put(JobMetrics.UNDECIDED, (double) (figures.counted() - figures.decided()));
        values.put(JobMetrics.WITHOUT_USABLE_REWARD, (double) (figures.unusable() + figures.unrewarded()));
        values.put(JobMetrics.SOLVED_RATE, figures.solvedRate());
        values.put(JobMetrics.REWARD_MEAN, figures.meanReward());
        groups.keySet().stream()
                .mapToLong(FigureGroup.Size::attempts)
                .max()
                .ifPresent(largest ->
                        PassEstimate.ks(largest).forEach(k -> values.put(JobMetrics.PASS_AT + k, passAt(k))));
        return new JobMetrics(values);
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
