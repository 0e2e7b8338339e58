package dev.rlm.sinks.schema.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LengthsTest {
    @Test
    void percentile_isALengthThatWasThere() {
        Lengths lengths = new Lengths();
        for (int millis = 100; millis >= 1; millis--) {
            lengths.add(Duration.ofMillis(millis));
        }
        assertThat(lengths.percentile(50)).isEqualTo(Duration.ofMillis(50));
        assertThat(lengths.percentile(95)).isEqualTo(Duration.ofMillis(95));
        lengths.add(Duration.ZERO);
        assertThat(lengths.percentile(50)).isEqualTo(Duration.ofMillis(50));
        assertThat(lengths.percentile(100)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void percentile_ofOne_isThatOne_andOfNoneIsNone() {
        Lengths lengths = new Lengths();
        assertThat(lengths.percentile(95)).isNull();
        lengths.add(Duration.ofNanos(7));
        assertThat(lengths.percentile(1)).isEqualTo(Duration.ofNanos(7));
    }
}
