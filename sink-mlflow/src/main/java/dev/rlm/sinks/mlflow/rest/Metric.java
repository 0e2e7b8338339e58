package dev.rlm.sinks.mlflow.rest;

/**
 * One point of a metric.
 *
 * @param key one that the server takes: see {@link Keys}
 * @param value may be NaN or infinite
 * @param timestamp milliseconds since the epoch; not negative
 */
public record Metric(String key, double value, long timestamp, long step) {}
