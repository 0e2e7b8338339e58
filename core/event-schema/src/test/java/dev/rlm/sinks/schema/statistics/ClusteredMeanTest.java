package dev.rlm.sinks.schema.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Against statsmodels 0.15: OLS on a constant with cov_type="cluster", whose default correction is G/(G-1) here. */
class ClusteredMeanTest {
    private static Estimate estimate(List<Integer> clusters, double... values) {
        ClusteredMean<Integer> mean = new ClusteredMean<>();
        for (int i = 0; i < values.length; i++) {
            mean.add(clusters.get(i), values[i]);
        }
        return mean.estimate();
    }

    @Test
    void error_ofZerosAndOnes_isThatOfStatsmodels() {
        Estimate estimate = estimate(List.of(1, 1, 1, 2, 2, 3, 3, 3, 3, 4), 1, 0, 1, 1, 0, 0, 1, 1, 1, 0);
        assertThat(estimate.value()).isEqualTo(0.6);
        assertThat(estimate.error()).isCloseTo(0.10327956, within(1e-8));
        assertThat(estimate.count()).isEqualTo(10);
        assertThat(estimate.clusters()).isEqualTo(4);
    }

    @Test
    void error_ofAnyNumbers_isThatOfStatsmodels() {
        Estimate estimate = estimate(List.of(1, 1, 2, 2, 3, 4), -1.5, 2.25, 0.1, 4, 4, -3.75);
        assertThat(estimate.value()).isCloseTo(0.85, within(1e-12));
        assertThat(estimate.error()).isCloseTo(1.18235484, within(1e-8));
    }

    @Test
    void error_whereEachValueIsACluster_isTheUsualOne() {
        assertThat(estimate(List.of(1, 2, 3, 4), 1, 2, 4, 8).error()).isCloseTo(1.547847968417226, within(1e-12));
    }

    @Test
    void error_ofOneCluster_isUnknown() {
        Estimate estimate = estimate(List.of(7, 7, 7), 1, 0, 1);
        assertThat(estimate.value()).isCloseTo(2.0 / 3, within(1e-12));
        assertThat(estimate.error()).isNaN();
    }

    @Test
    void mean_ofNothing_isNone() {
        assertThat(estimate(List.of()).value()).isNaN();
    }
}
