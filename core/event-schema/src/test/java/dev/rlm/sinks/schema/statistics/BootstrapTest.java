package dev.rlm.sinks.schema.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BootstrapTest {
    private static final double[] TEN = {0.5, -0.25, 1, 0, 0.25, -0.5, 0.75, 0.25, 0, 0.5};

    /** By scipy 1.17 (bootstrap, percentile) with a million resamples: -0.025 to 0.525. The means are multiples of 0.025. */
    @Test
    void interval_isThatOfScipy() {
        Bootstrap interval = Bootstrap.of(TEN);
        assertThat(interval.low()).isCloseTo(-0.025, within(0.0251));
        assertThat(interval.high()).isCloseTo(0.525, within(0.0251));
    }

    @Test
    void interval_ofManyValues_isAboutTwoStandardErrorsWideOnEachSide() {
        double[] values = new SplittableRandom(3)
                .doubles(2_000)
                .map(value -> value < 0.3 ? 1 : 0)
                .toArray();
        double mean = java.util.stream.DoubleStream.of(values).average().orElseThrow();
        double error = Math.sqrt(mean * (1 - mean) / values.length);
        Bootstrap interval = Bootstrap.of(values);
        assertThat(interval.low()).isCloseTo(mean - 1.96 * error, within(0.1 * error));
        assertThat(interval.high()).isCloseTo(mean + 1.96 * error, within(0.1 * error));
    }

    @Test
    void interval_comesOutTheSameEachTime() {
        assertThat(Bootstrap.of(TEN)).isEqualTo(Bootstrap.of(TEN.clone()));
    }

    @Test
    void interval_ofEqualValues_hasNoWidth() {
        assertThat(Bootstrap.of(new double[] {0.5, 0.5, 0.5})).isEqualTo(new Bootstrap(0.5, 0.5));
    }

    @Test
    void interval_ofOneValue_isUnknown() {
        assertThat(Bootstrap.of(new double[] {1})).isEqualTo(new Bootstrap(Double.NaN, Double.NaN));
    }
}
