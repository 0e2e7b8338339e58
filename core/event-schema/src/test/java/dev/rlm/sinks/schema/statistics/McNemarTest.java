package dev.rlm.sinks.schema.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class McNemarTest {
    /** By scipy 1.17 (binomtest), and statsmodels 0.15 (mcnemar, exact), which agree. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 1",
        "5, 0, 0.0625",
        "1, 7, 0.0703125",
        "10, 2, 0.03857421875",
        "6, 6, 1",
        "25, 9, 0.00904118549078703",
        "121, 59, 4.4344492637551645e-06",
        "1000, 900, 0.023108845108901193",
        "306, 79, 1.2400534250724266e-32",
        "343, 74, 1.786904434226823e-42",
        "30000, 29000, 3.907020967830222e-05",
    })
    void p_isThatOfScipy(long onlyFirst, long onlySecond, double p) {
        assertThat(McNemar.pValue(onlyFirst, onlySecond)).isCloseTo(p, withinPercentage(1e-6));
        assertThat(McNemar.pValue(onlySecond, onlyFirst)).isCloseTo(p, withinPercentage(1e-6));
    }

    @Test
    void p_ofVeryManySamples_isANumber() {
        assertThat(McNemar.pValue(1_000_000, 1_000_000)).isEqualTo(1);
        assertThat(McNemar.pValue(1_000_000, 0)).isZero();
    }

    @Test
    void count_belowZero_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> McNemar.pValue(-1, 3));
    }
}
