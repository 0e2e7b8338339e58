package dev.rlm.benchmarks.reading;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That it measures: what it measures is for people to judge. */
@Tag("thorough")
class ReadingTest {
    private static final int STEPS = 200;

    @ParameterizedTest
    @CsvSource({"RLM, false", "RLM, true", "INDEXED, false"})
    void reportAndExport_areMeasured(Reading.Kind kind, boolean export) {
        assertThat(new Reading("rlm", kind, export, STEPS).measure().values())
                .containsOnlyKeys(Reading.STEPS_A_SECOND, Reading.NANOS_A_STEP)
                .allSatisfy((name, value) -> assertThat(value).isPositive());
    }
}
