package dev.rlm.benchmarks.caller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.benchmarks.figure.CallerBytes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That each way records: what it costs is for people to judge. */
class RecorderTest {
    @ParameterizedTest
    @EnumSource(Recorder.Kind.class)
    void everyKind_recordsSteps(Recorder.Kind kind) {
        try (Recorder recorder = kind.open()) {
            Recorder.Track track = recorder.track();
            long before = CallerBytes.allocated();

            track.step(1);

            assertThat(CallerBytes.allocated()).isGreaterThan(before);
            recorder.settle();
        }
    }
}
