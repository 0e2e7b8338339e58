package dev.rlm.cli.deploy;

import java.util.Arrays;
import java.util.List;

/** Between which values a figure must lie. */
record Bounds(double low, double high) {
    /** Sums in another order differ in their last digits. */
    private static final double TOLERANCE = 1e-9;

    /** Contains no value. */
    static final Bounds NOTHING = new Bounds(Double.NaN, Double.NaN);

    static Bounds exactly(double value) {
        return around(new double[] {value});
    }

    /** From the least of the values to the greatest. */
    static Bounds around(double[] values) {
        double least = Arrays.stream(values).min().orElseThrow();
        double greatest = Arrays.stream(values).max().orElseThrow();
        double margin = TOLERANCE * Math.max(1, Math.abs(greatest));
        return new Bounds(least - margin, greatest + margin);
    }

    /** The bucket in which a quantile lies; the upper bounds of the buckets are given in their order. */
    static Bounds ofQuantile(double quantile, double[] values, List<Double> buckets) {
        double rank = quantile * values.length;
        double lower = Double.NEGATIVE_INFINITY;
        for (double upper : buckets) {
            long within = Arrays.stream(values).filter(value -> value <= upper).count();
            if (within > 0 && within >= rank) {
                return new Bounds(lower, upper);
            }
            lower = upper;
        }
        throw new IllegalArgumentException("the last bucket has no bound");
    }

    /** The buckets in which the values lie. */
    static Bounds ofBuckets(double[] values, List<Double> buckets) {
        return new Bounds(ofQuantile(0, values, buckets).low, ofQuantile(1, values, buckets).high);
    }

    boolean contain(double value) {
        return low <= value && value <= high;
    }
}
