package dev.rlm.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** That it measures: what it measures is for people to judge. */
class OpenRunsTest {
    @Test
    void fewRuns_areMeasured() throws IOException {
        Sample sample = OpenRuns.measure(20, 1, 1);

        assertThat(sample.values())
                .containsOnlyKeys(OpenRuns.BYTES, OpenRuns.NANOS_OF_ONE, OpenRuns.NANOS_OF_MANY, OpenRuns.MANY_TO_ONE);
        assertThat(sample.values().get(OpenRuns.MANY_TO_ONE)).isPositive();
    }
}
