package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Figures of a job, or of one model or split of it, at one moment.
 *
 * @param episodes that were completed or failed: all others are over these
 * @param undecided of these the ones in no rate
 * @param withoutUsableReward of these the ones in no mean
 * @param solvedRate NaN where there is none
 * @param rewardMean of the total rewards; NaN where there is none
 * @param passAt pass@k by k
 */
record JobMetrics(
        double episodes,
        double failed,
        double undecided,
        double withoutUsableReward,
        double solvedRate,
        double rewardMean,
        SortedMap<Integer, Double> passAt) {
    private static final String EPISODES = "episodes";
    private static final String FAILED = "failed";
    private static final String UNDECIDED = "undecided";
    private static final String WITHOUT_USABLE_REWARD = "without_usable_reward";
    private static final String SOLVED_RATE = "solved_rate";
    private static final String REWARD_MEAN = "reward_mean";
    private static final String PASS_AT = "pass_at_";

    /** The metric that says how many episodes the others are over. */
    static String episodesKey(String part) {
        return key(EPISODES, part);
    }

    private static String key(String figure, String part) {
        return part.isEmpty() ? figure : Keys.below(figure, part);
    }

    /** Those that MLflow has. */
    static JobMetrics standing(Map<String, Metric> latest, String part) {
        SortedMap<Integer, Double> passAt = new TreeMap<>();
        for (int k = 1; latest.containsKey(key(PASS_AT + k, part)); k *= 2) {
            passAt.put(k, value(latest, key(PASS_AT + k, part), Double.NaN));
        }
        return new JobMetrics(
                value(latest, key(EPISODES, part), 0),
                value(latest, key(FAILED, part), 0),
                value(latest, key(UNDECIDED, part), 0),
                value(latest, key(WITHOUT_USABLE_REWARD, part), 0),
                value(latest, key(SOLVED_RATE, part), Double.NaN),
                value(latest, key(REWARD_MEAN, part), Double.NaN),
                passAt);
    }

    private static double value(Map<String, Metric> latest, String key, double otherwise) {
        Metric metric = latest.get(key);
        return metric == null ? otherwise : metric.value();
    }

    /**
     * With those of other episodes. Each counts by how many episodes it is over, which for pass@k is exact where the groups
     * have the same size and none has attempts on both sides.
     */
    JobMetrics plus(JobMetrics others) {
        SortedMap<Integer, Double> both = new TreeMap<>(others.passAt);
        passAt.forEach((k, own) -> both.merge(k, own, (other, same) -> mean(same, decided(), other, others.decided())));
        return new JobMetrics(
                episodes + others.episodes,
                failed + others.failed,
                undecided + others.undecided,
                withoutUsableReward + others.withoutUsableReward,
                mean(solvedRate, decided(), others.solvedRate, others.decided()),
                mean(rewardMean, rewarded(), others.rewardMean, others.rewarded()),
                both);
    }

    private double decided() {
        return episodes - undecided;
    }

    private double rewarded() {
        return episodes - withoutUsableReward;
    }

    private static double mean(double one, double weight, double other, double otherWeight) {
        if (weight <= 0 || Double.isNaN(one)) {
            return other;
        }
        return otherWeight <= 0 || Double.isNaN(other)
                ? one
                : (one * weight + other * otherWeight) / (weight + otherWeight);
    }

    /** By the names of MLflow's metrics; what is not known is not among them. */
    Map<String, Double> byKey(String part) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put(key(EPISODES, part), episodes);
        values.put(key(FAILED, part), failed);
        values.put(key(UNDECIDED, part), undecided);
        values.put(key(WITHOUT_USABLE_REWARD, part), withoutUsableReward);
        values.put(key(SOLVED_RATE, part), solvedRate);
        values.put(key(REWARD_MEAN, part), rewardMean);
        passAt.forEach((k, value) -> values.put(key(PASS_AT + k, part), value));
        values.values().removeIf(value -> value.isNaN());
        return values;
    }
}
