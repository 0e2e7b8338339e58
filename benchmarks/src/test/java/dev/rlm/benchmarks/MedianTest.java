package dev.rlm.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MedianTest {
    @Test
    void median_ofFewValues_hasNoBounds() {
        Median median = Median.of(new double[] {3, 1, 2});

        assertThat(median.value()).isEqualTo(2);
        assertThat(median.low()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(median.high()).isEqualTo(Double.POSITIVE_INFINITY);
    }

    @Test
    void interval_ofAHundredValues_isThatOfTheTables() {
        Median median = Median.of(IntStream.rangeClosed(1, 100).asDoubleStream().toArray());

        assertThat(median).isEqualTo(new Median(50.5, 40, 61, 100)); // as in tables of the sign test
    }

    @Test
    void interval_ofSkewedValues_holdsTheTrueMedianAsOftenAsItSays() {
        SplittableRandom random = new SplittableRandom(1);
        double truth = Math.exp(0);
        long held = IntStream.range(0, 2_000)
                .mapToObj(i ->
                        Median.of(random.doubles(80).map(MedianTest::skewed).toArray()))
                .filter(median -> median.low() <= truth && truth <= median.high())
                .count();

        assertThat(held).isBetween(1_880L, 1_960L); // 94 to 98 %; the same in every run
    }

    /** With a median of one, and a long tail. */
    private static double skewed(double uniform) {
        return Math.exp(Math.log(uniform / (1 - uniform)));
    }
}
