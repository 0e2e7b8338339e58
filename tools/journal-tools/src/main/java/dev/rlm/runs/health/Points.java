package dev.rlm.runs.health;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.function.DoublePredicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A number by the steps of training, in their order. Its statistics are medians and ranks, so that a few values that are far off
 * say nothing. Immutable.
 */
public final class Points {
    /** No points. */
    static final Points NONE = new Points(new double[0], new double[0]);

    private static final int MOST = 400; // of a trend, which compares each with each: of more the medians of parts
    private static final int PARTS = 5; // the beginning is a fifth of the points, and so is the end
    private static final int FEWEST = 3; // points whose median stands for a part
    private static final double NORMAL =
            1.4826; // a median distance times this is the standard deviation of a normal distribution

    private final double[] steps;
    private final double[] values;

    private Points(double[] steps, double[] values) {
        this.steps = steps;
        this.values = values;
    }

    /** Points of finite values by step. */
    public static Points of(SortedMap<Double, Double> byStep) {
        return new Points(
                byStep.keySet().stream().mapToDouble(Double::doubleValue).toArray(),
                byStep.values().stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** The same without signs. */
    Points absolute() {
        return new Points(steps, Arrays.stream(values).map(Math::abs).toArray());
    }

    int size() {
        return values.length;
    }

    double step(int index) {
        return steps[index];
    }

    double value(int index) {
        return values[index];
    }

    /** Returns the number of points at the beginning, and at the end, that stand for these. */
    private int part() {
        return Math.min(size(), Math.max(FEWEST, size() / PARTS));
    }

    /** Returns the median of the beginning. */
    double head() {
        return median(0, part());
    }

    /** Returns the median of the end. */
    double tail() {
        return median(size() - part(), size());
    }

    /** Returns the mean of the beginning: of shares, most of which may be 0. */
    double headMean() {
        return mean(0, part());
    }

    /** Returns the mean of the end. */
    double tailMean() {
        return mean(size() - part(), size());
    }

    /** Returns the step with which the end begins. */
    double tailStep() {
        return size() == 0 ? Double.NEGATIVE_INFINITY : steps[size() - part()];
    }

    double median() {
        return median(0, size());
    }

    /** Returns the median from the one place on to before the other; NaN of nothing. */
    double median(int from, int to) {
        return median(Arrays.stream(values, from, to));
    }

    double mean(int from, int to) {
        return Arrays.stream(values, from, to).average().orElse(Double.NaN);
    }

    private static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length == 0
                ? Double.NaN
                : sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /** Returns the points at steps from the one on to before the other. */
    Points between(double from, double to) {
        int start = (int) Arrays.stream(steps).filter(step -> step < from).count();
        int end = (int) Arrays.stream(steps).filter(step -> step < to).count();
        return new Points(Arrays.copyOfRange(steps, start, end), Arrays.copyOfRange(values, start, end));
    }

    /** Returns which share of the last so many values is such. */
    double shareOfLast(int count, DoublePredicate such) {
        return Arrays.stream(values, Math.max(0, size() - count), size())
                .map(value -> such.test(value) ? 1 : 0)
                .average()
                .orElse(0);
    }

    /** Returns the first index from {@code from} on whose value passes the test; -1 if there is none. */
    int first(int from, DoublePredicate such) {
        return IntStream.range(from, size())
                .filter(i -> such.test(values[i]))
                .findFirst()
                .orElse(-1);
    }

    long count(DoublePredicate such) {
        return Arrays.stream(values).filter(such).count();
    }

    /** Returns the values with each replaced by the median of it and its neighbours. */
    Points smooth() {
        double[] smooth = IntStream.range(0, size())
                .mapToDouble(i -> median(Math.max(0, i - 1), Math.min(size(), i + 2)))
                .toArray();
        return new Points(steps, smooth);
    }

    /** Returns the step from which on the smoothed values stay above a level; that of the last value where none does. */
    double since(double level) {
        Points smooth = smooth();
        int since = size() - 1;
        while (since > 0 && smooth.values[since - 1] > level) {
            since--;
        }
        return steps[since];
    }

    /** Returns how far values swing about their course, as a standard deviation: about the medians of a quarter of them. */
    double swing() {
        int side = Math.max(FEWEST, size() / 8);
        return NORMAL
                * median(IntStream.range(0, size())
                        .mapToDouble(i ->
                                Math.abs(values[i] - median(Math.max(0, i - side), Math.min(size(), i + side + 1)))));
    }

    /** Returns the place of the highest value; the first of several. */
    int peak() {
        int peak = 0;
        for (int i = 1; i < size(); i++) {
            peak = values[i] > values[peak] ? i : peak;
        }
        return peak;
    }

    /**
     * Returns how far values lie from their course, as a standard deviation: from how far each lies from the middle of its
     * neighbours, so that a course that rises or falls adds nothing; NaN of fewer than three.
     */
    double noise() {
        return NORMAL
                * median(IntStream.range(1, size() - 1)
                        .mapToDouble(i -> Math.abs(values[i - 1] - 2 * values[i] + values[i + 1])))
                / Math.sqrt(6); // what that makes of a standard deviation of 1
    }

    /**
     * Returns the noise of a few points, in which a step of the course makes much of that from the middles of neighbours: that
     * from how far neighbours lie apart, where that is less.
     */
    double noiseOfFew() {
        double apart = median(IntStream.range(1, size()).mapToDouble(i -> Math.abs(values[i] - values[i - 1])));
        return Math.min(noise(), NORMAL * apart / Math.sqrt(2));
    }

    /**
     * Returns the trend by the test of Mann and Kendall: how many standard errors there are more pairs of values that rise
     * than such that fall. Above 3, or below -3, is no accident of independent values; it tells nothing of the size.
     */
    double trend() {
        double[] course = size() <= MOST ? values : parts();
        int n = course.length;
        long sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                sum += (long) Math.signum(course[j] - course[i]);
            }
        }
        double ties = ties(course);
        double variance = (n * (n - 1.0) * (2.0 * n + 5) - ties) / 18;
        return sum == 0 || variance <= 0 ? 0 : (sum - Math.signum((double) sum)) / Math.sqrt(variance);
    }

    private double[] parts() {
        return IntStream.range(0, MOST)
                .mapToDouble(i -> median((int) ((long) i * size() / MOST), (int) ((i + 1L) * size() / MOST)))
                .toArray();
    }

    private static double ties(double[] course) {
        double[] sorted = course.clone();
        Arrays.sort(sorted);
        double ties = 0;
        for (int i = 0, j; i < sorted.length; i = j) {
            j = i;
            while (j < sorted.length && sorted[j] == sorted[i]) {
                j++;
            }
            double equal = j - i;
            ties += equal * (equal - 1) * (2 * equal + 5);
        }
        return ties;
    }

    /** Returns the place at which the medians before and after it differ most in ratio; at least so many lie on each side. */
    int jump(int side) {
        int jump = -1;
        double highest = 0;
        for (int i = side; i <= size() - side; i++) {
            double before = median(Math.max(0, i - 4 * side), i);
            double ratio = median(i, Math.min(size(), i + 4 * side)) / before;
            if (before > 0 && ratio > highest) {
                highest = ratio;
                jump = i;
            }
        }
        return jump;
    }
}
