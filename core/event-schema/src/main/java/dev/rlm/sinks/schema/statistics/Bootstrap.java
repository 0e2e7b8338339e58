package dev.rlm.sinks.schema.statistics;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * An interval for a mean by the percentile bootstrap: the values are drawn again with replacement, as many as there are,
 * and the middle 95 in 100 of the means that so arise are the interval. The same values in the same order give the same
 * interval, on any machine.
 *
 * @param low the 2.5th percentile; NaN where there are fewer than two values
 * @param high the 97.5th percentile; NaN where there are fewer than two values
 */
public record Bootstrap(double low, double high) {
    /** Number of times that the values are drawn again. */
    public static final int RESAMPLES = 10_000;

    /** The share of the means that lie in the interval. */
    public static final double LEVEL = 0.95;

    /** Seed of the random numbers. */
    public static final long SEED = 1;

    /** The interval for the mean of the values, of which each is a cluster of its own. */
    public static Bootstrap of(double[] values) {
        if (values.length < 2) {
            return new Bootstrap(Double.NaN, Double.NaN);
        }
        SplittableRandom seeds = new SplittableRandom(SEED);
        long[] starts = seeds.longs(RESAMPLES).toArray();
        double[] means = IntStream.range(0, RESAMPLES)
                .parallel()
                .mapToDouble(i -> resampledMean(values, new SplittableRandom(starts[i])))
                .toArray();
        Arrays.sort(means);
        return new Bootstrap(quantile(means, (1 - LEVEL) / 2), quantile(means, (1 + LEVEL) / 2));
    }

    private static double resampledMean(double[] values, SplittableRandom random) {
        double sum = 0;
        for (int i = 0; i < values.length; i++) {
            sum += values[random.nextInt(values.length)];
        }
        return sum / values.length;
    }

    /** Between the two nearest, as most statistics programs do it (Hyndman and Fan's type 7). */
    private static double quantile(double[] sorted, double share) {
        double place = share * (sorted.length - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
