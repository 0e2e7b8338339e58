package dev.rlm.sinks.mlflow.rest;

import java.util.Map;

/**
 * One point of a metric.
 *
 * @param key one that the server takes: see {@link Keys}
 * @param value may be NaN or infinite
 * @param timestamp milliseconds since the epoch; not negative
 */
public record Metric(String key, double value, long timestamp, long step) {
    /** As the server tells it. */
    static Metric of(String key, Map<?, ?> point) {
        return new Metric(
                key,
                number(point, "value", Double.NaN).doubleValue(),
                number(point, "timestamp", 0L).longValue(),
                number(point, "step", 0L).longValue());
    }

    private static Number number(Map<?, ?> point, String name, Number otherwise) {
        return point.get(name) instanceof Number number ? number : otherwise;
    }
}
