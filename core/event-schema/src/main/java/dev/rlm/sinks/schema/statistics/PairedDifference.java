package dev.rlm.sinks.schema.statistics;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Distance of two sides of the same samples: here less there.
 *
 * @param samples number of samples compared: those for which both sides have a value
 * @param here the mean of this side over these samples
 * @param there that of the other side
 * @param value the mean difference
 * @param interval that surrounds it
 */
public record PairedDifference(int samples, double here, double there, double value, Bootstrap interval) {
    /** Returns that of two sides, whose values of one sample stand at the same place; NaN stands for none. */
    public static PairedDifference of(double[] here, double[] there) {
        int[] known = IntStream.range(0, here.length)
                .filter(i -> !Double.isNaN(here[i]) && !Double.isNaN(there[i]))
                .toArray();
        double[] differences =
                IntStream.of(known).mapToDouble(i -> here[i] - there[i]).toArray();
        return new PairedDifference(
                known.length,
                mean(IntStream.of(known).mapToDouble(i -> here[i])),
                mean(IntStream.of(known).mapToDouble(i -> there[i])),
                mean(DoubleStream.of(differences)),
                Bootstrap.of(differences));
    }

    private static double mean(DoubleStream values) {
        return values.average().orElse(Double.NaN);
    }
}
