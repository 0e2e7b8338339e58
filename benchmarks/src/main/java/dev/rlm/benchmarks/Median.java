package dev.rlm.benchmarks;

import java.util.Arrays;

/**
 * The median of a sample, with the interval that holds the true one with 95 % confidence. The interval follows from the
 * order of the values alone (the sign test turned round), so that it holds whatever their distribution.
 */
public record Median(double value, double low, double high, int count) {
    private static final double Z = 1.96;

    /** The median of these, in any order. */
    public static Median of(double[] sample) {
        double[] sorted = sample.clone();
        Arrays.sort(sorted);
        int count = sorted.length;
        if (count == 0) {
            return new Median(Double.NaN, Double.NaN, Double.NaN, 0);
        }
        int low = (int) Math.floor((count - Z * Math.sqrt(count)) / 2);
        int high = (int) Math.ceil(1 + (count + Z * Math.sqrt(count)) / 2);
        double middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        return new Median(
                middle,
                low < 1 ? Double.NEGATIVE_INFINITY : sorted[low - 1],
                high > count ? Double.POSITIVE_INFINITY : sorted[high - 1],
                count);
    }
}
