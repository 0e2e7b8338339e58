package dev.rlm.sinks.schema.statistics;

/**
 * A mean, and how sure it is.
 *
 * @param value NaN where it is a mean of nothing
 * @param error its standard error; NaN where it rests on fewer than two clusters
 * @param count number of values that it is the mean of
 * @param clusters number of clusters that they come from
 */
public record Estimate(double value, double error, long count, int clusters) {}
