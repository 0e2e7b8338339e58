package dev.rlm.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountedTest {
    @Test
    void word_isThatOfTheNumber() {
        assertThat(Counted.of(1, "line")).isEqualTo("1 line");
        assertThat(Counted.of(0, "line")).isEqualTo("0 lines");
        assertThat(Counted.of(2, "run is", "runs are")).isEqualTo("2 runs are");
    }
}
