package dev.rlm.benchmarks.caller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.benchmarks.figure.Sample;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That it measures: what it measures is for people to judge. */
@Tag("thorough")
class PausesTest {
    @ParameterizedTest
    @ValueSource(strings = {Pauses.ALL_SINKS, Pauses.NO_SINK})
    void shortTime_isMeasured(String sinks) throws Exception {
        Sample sample = new Pauses().measure(sinks, 1);

        assertThat(sample.values())
                .containsKeys(Pauses.P50, Pauses.P999, Pauses.LONGEST, Pauses.COLLECTIONS, Pauses.LONGEST_COLLECTION);
        assertThat(sample.values().get(Pauses.LONGEST)).isPositive();
    }
}
