package dev.rlm.sinks.schema.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClusterMomentsTest {
    @Test
    void estimate_ofMergedMoments_isThatOfAllValues() {
        Random random = new Random(5);
        ClusteredMean<Integer> all = new ClusteredMean<>();
        List<ClusteredMean<Integer>> parts = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            parts.add(new ClusteredMean<>()); // the last stays empty
        }
        for (int i = 0; i < 500; i++) {
            int cluster = random.nextInt(60);
            double value = 1e6 + random.nextDouble(); // far from 0: differences of large sums would lose the digits
            all.add(cluster, value);
            parts.get(cluster % 6).add(cluster, value);
        }

        Estimate merged = parts.stream()
                .map(ClusteredMean::moments)
                .reduce(ClusterMoments.NONE, ClusterMoments::merge)
                .estimate();

        Estimate expected = all.estimate();
        assertThat(merged.value()).isCloseTo(expected.value(), within(1e-9));
        assertThat(merged.error()).isCloseTo(expected.error(), within(expected.error() * 1e-6));
        assertThat(merged.count()).isEqualTo(expected.count());
        assertThat(merged.clusters()).isEqualTo(expected.clusters());
    }

    @Test
    void estimate_ofEqualValues_hasNoError() {
        ClusteredMean<Integer> one = new ClusteredMean<>();
        one.add(1, 0.1);
        ClusteredMean<Integer> other = new ClusteredMean<>();
        other.add(2, 0.1);

        assertThat(one.moments().merge(other.moments()).estimate().error()).isZero();
        assertThat(ClusterMoments.NONE.merge(ClusterMoments.NONE).estimate())
                .isEqualTo(new ClusteredMean<>().estimate());
    }
}
