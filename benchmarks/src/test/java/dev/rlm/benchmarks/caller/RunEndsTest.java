package dev.rlm.benchmarks.caller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.benchmarks.figure.Sample;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That it measures: what it measures is for people to judge. */
class RunEndsTest {
    @ParameterizedTest
    @ValueSource(strings = {RunEnds.ALL_SINKS, RunEnds.NO_SINK})
    void fewRuns_areMeasured(String sinks) throws Exception {
        Sample sample = RunEnds.measure(sinks, 1, 10);

        assertThat(sample.values()).containsOnlyKeys(RunEnds.P50, RunEnds.P999);
        assertThat(sample.values().get(RunEnds.P50)).isPositive();
    }
}
