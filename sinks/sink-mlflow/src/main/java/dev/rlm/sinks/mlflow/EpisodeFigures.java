package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Figures of an episode that has ended, each a point of a metric.
 *
 * @param timestamp the episode's end, in milliseconds since the epoch
 * @param named parts of its rewards, and numbers of its own, by the keys of their metrics; of one that MLflow has, nothing
 * @param values in the order of {@link #KEYS}; NaN stands for an unknown one, because no figure is ever NaN itself
 */
@SuppressWarnings("ArrayRecordComponent") // one for each episode of a job that is read again: the smallest form
record EpisodeFigures(long timestamp, Map<String, Double> named, double... values) {
    /** The metrics, in order. */
    static final List<String> KEYS = List.of(
            "episode/reward",
            "episode/solved",
            "episode/steps",
            "episode/duration_s",
            "episode/input_tokens",
            "episode/output_tokens");

    private static final double NANOS = 1e9;

    static EpisodeFigures of(RunEnded end, Map<String, Double> named, double inputTokens, double outputTokens) {
        Boolean solved = end.isSolved(null);
        return new EpisodeFigures(
                end.time().toEpochMilli(),
                named,
                end.hasUsableReward() ? end.totalReward() : Double.NaN,
                solved == null ? Double.NaN : solved ? 1 : 0,
                end.steps(),
                end.nanos() / NANOS,
                inputTokens,
                outputTokens);
    }

    /** One that nothing is known of. */
    static EpisodeFigures unknown(long timestamp) {
        double[] values = new double[KEYS.size()];
        Arrays.fill(values, Double.NaN);
        return new EpisodeFigures(timestamp, Map.of(), values);
    }

    /** The points at that step. */
    List<Metric> at(long step) {
        List<Metric> points = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                points.add(new Metric(KEYS.get(i), values[i], timestamp, step));
            }
        }
        named.forEach((name, value) -> points.add(new Metric(Keys.valid("episode/" + name), value, timestamp, step)));
        return points;
    }

    /** Returns the number of its known figures, all of which the other has with the same values; -1 if one differs. */
    int within(EpisodeFigures other) {
        int common = 0;
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                if (finite(values[i]) != finite(other.values[i])) {
                    return -1;
                }
                common++;
            }
        }
        return common;
    }

    /** As the server gives it back: it has no infinities. */
    private static double finite(double value) {
        return Math.max(-Double.MAX_VALUE, Math.min(value, Double.MAX_VALUE));
    }
}
