package dev.rlm.benchmarks.journal;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That all that is recorded is in the files: else measuring fails. */
class SustainedRateTest {
    @ParameterizedTest
    @EnumSource(Recorder.Kind.class)
    void nothing_isLost(Recorder.Kind kind) {
        assertThatCode(() -> SustainedRate.measure(kind, 600, true).print()).doesNotThrowAnyException();
    }
}
