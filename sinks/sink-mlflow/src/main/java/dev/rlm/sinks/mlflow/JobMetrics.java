package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Figures of a job, or of one model or split of it, at one moment.
 *
 * @param values by the names of MLflow's metrics; what is not known is not among them
 */
record JobMetrics(Map<String, Double> values) {
    /** Counts the episodes that were completed or failed: all others are over these. */
    static final String EPISODES = "episodes";

    static final String FAILED = "failed";

    /** Counts the episodes that are in no rate. */
    static final String UNDECIDED = "undecided";

    /** Counts the episodes that are in no mean. */
    static final String WITHOUT_USABLE_REWARD = "without_usable_reward";

    static final String SOLVED_RATE = "solved_rate";

    /** Of the total rewards. */
    static final String REWARD_MEAN = "reward_mean";

    /** Followed by k. */
    static final String PASS_AT = "pass_at_";

    private static final List<String> COUNTS = List.of(EPISODES, FAILED, UNDECIDED, WITHOUT_USABLE_REWARD);

    JobMetrics {
        values = new LinkedHashMap<>(values);
        values.values().removeIf(value -> value.isNaN());
    }

    /** The metric that says how many episodes the others are over. */
    static String episodesKey(String part) {
        return key(EPISODES, part);
    }

    private static String key(String figure, String part) {
        return part.isEmpty() ? figure : Keys.below(figure, part);
    }

    /** Those that MLflow has. */
    static JobMetrics standing(Map<String, Metric> latest, String part) {
        Stream<String> passAt = IntStream.iterate(1, k -> latest.containsKey(key(PASS_AT + k, part)), k -> k * 2)
                .mapToObj(k -> PASS_AT + k);
        Map<String, Double> values = new LinkedHashMap<>();
        Stream.of(COUNTS.stream(), Stream.of(SOLVED_RATE, REWARD_MEAN), passAt)
                .flatMap(names -> names)
                .forEach(name -> {
                    Metric metric = latest.get(key(name, part));
                    if (metric != null) {
                        values.put(name, metric.value());
                    }
                });
        return new JobMetrics(values);
    }

    /**
     * With those of other episodes. Each counts by how many episodes it is over, which for pass@k is exact where the groups
     * have the same size and none has attempts on both sides.
     */
    JobMetrics plus(JobMetrics others) {
        Map<String, Double> both = new LinkedHashMap<>(values);
        others.values.forEach((name, other) -> both.merge(
                name,
                other,
                (own, same) ->
                        COUNTS.contains(name) ? own + same : mean(own, weight(name), same, others.weight(name))));
        return new JobMetrics(both);
    }

    private static double mean(double one, double weight, double other, double otherWeight) {
        if (weight <= 0) {
            return other;
        }
        return otherWeight <= 0 ? one : (one * weight + other * otherWeight) / (weight + otherWeight);
    }

    /** Over how many episodes a rate or a mean is. */
    private double weight(String name) {
        String without = name.equals(REWARD_MEAN) ? WITHOUT_USABLE_REWARD : UNDECIDED;
        return values.getOrDefault(EPISODES, 0.0) - values.getOrDefault(without, 0.0);
    }

    /** By the keys of MLflow's metrics. */
    Map<String, Double> byKey(String part) {
        Map<String, Double> byKey = new LinkedHashMap<>();
        values.forEach((name, value) -> byKey.put(key(name, part), value));
        return byKey;
    }
}
