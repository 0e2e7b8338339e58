package dev.rlm.benchmarks.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That each program measures: what it measures is for people to judge. */
@Tag("thorough")
class ArrivalRateTest {
    /** Two spans of a resource and a scope, beside fields that are none. */
    private static final byte[] TWO_SPANS = {
        0x0a, 0x0d, 0x0a, 0x01, 0x2a, 0x12, 0x08, 0x12, 0x02, 0x0a, 0x00, 0x10, 0x07, 0x12, 0x00
    };

    @Test
    void spans_areCounted() {
        assertThat(SpanCount.of(TWO_SPANS, TWO_SPANS.length)).isEqualTo(2);
        assertThatIllegalArgumentException().isThrownBy(() -> SpanCount.of(TWO_SPANS, TWO_SPANS.length - 1));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void everyWay_bringsSteps(Way way) throws IOException {
        try (CountingReceiver receiver = new CountingReceiver();
                StepFeed feed = way.open(receiver)) {
            Sample sample = ArrivalRate.measure(feed, receiver, 0);

            assertThat(sample.values().get(ArrivalRate.RATE)).isPositive();
            assertThat(sample.values().get(ArrivalRate.SHARE)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void processTime_isMeasured_whateverTheBackEndDoes(Backend backend) throws IOException {
        Sample sample = ProcessTime.measure(backend, 2, 100, 1, 10);

        assertThat(sample.values())
                .containsOnlyKeys(ProcessTime.CPU_OF_STEP, ProcessTime.CPU_OF_SECOND, ProcessTime.CLOSE);
        assertThat(sample.values().get(ProcessTime.CLOSE)).isPositive();
    }

    @Test
    void idleProcess_isMeasured() throws IOException {
        assertThat(ProcessTime.measure(Backend.TAKING, 0, 0, 1, 10).values())
                .containsOnlyKeys(ProcessTime.CPU_OF_SECOND);
    }

    @Test
    void journal_isResent() {
        Sample sample = new Resend("resend", 1, 0, 1).measure();

        assertThat(sample.values().get(ArrivalRate.RATE)).isPositive();
    }
}
