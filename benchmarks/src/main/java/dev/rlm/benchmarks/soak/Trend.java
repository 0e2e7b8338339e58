package dev.rlm.benchmarks.soak;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * By how much a figure grew in the second half of a run: the median of the slopes between any two of its samples, times
 * its length. A single sample that is off moves it little; of fewer than four nothing is said.
 */
record Trend(double growth) {
    private static final int FEWEST = 4;

    static Trend of(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        List<Sample> half = samples.subList(samples.size() / 2, samples.size());
        double[] slopes = IntStream.range(0, half.size())
                .boxed()
                .flatMapToDouble(i -> slopesFrom(half, i, figure))
                .sorted()
                .toArray();
        if (half.size() < FEWEST) {
            return new Trend(0);
        }
        double slope = (slopes[(slopes.length - 1) / 2] + slopes[slopes.length / 2]) / 2;
        double length = half.get(half.size() - 1).seconds() - half.get(0).seconds();
        return new Trend(slope * length);
    }

    private static DoubleStream slopesFrom(List<Sample> half, int first, ToDoubleFunction<Sample> figure) {
        Sample from = half.get(first);
        return half.subList(first + 1, half.size()).stream()
                .mapToDouble(to ->
                        (figure.applyAsDouble(to) - figure.applyAsDouble(from)) / (to.seconds() - from.seconds()));
    }
}
