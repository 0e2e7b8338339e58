package dev.rlm.sinks.mlflow.rest;

import tools.jackson.databind.JsonNode;

/**
 * One point of a metric, with the server's names.
 *
 * @param key one that the server takes: see {@link Keys}
 * @param value may be NaN or infinite
 * @param timestamp milliseconds since the epoch; not negative
 */
public record Metric(String key, double value, long timestamp, long step) {
    /** Reads it as the server tells it. */
    static Metric of(String key, JsonNode point) {
        return new Metric(
                key,
                point.path("value").doubleValue(Double.NaN),
                point.path("timestamp").longValue(0),
                point.path("step").longValue(0));
    }
}
