package dev.rlm.sinks.schema.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PassEstimateTest {
    /** By Python's math.comb, which calculates with whole numbers. */
    @ParameterizedTest
    @CsvSource({
        "10, 3, 1, 0.3, 0.3",
        "10, 3, 5, 0.9166666666666666, 0",
        "5, 4, 2, 1, 0.6",
        "5, 5, 5, 1, 1",
        "5, 0, 3, 0, 0",
        "8, 8, 1, 1, 1",
        "200, 13, 10, 0.4975511147306061, 1.2738851058221087e-14",
        "200, 13, 100, 0.9999194971988055, 0",
        "100000, 17, 1000, 0.1570683876425778, 0",
    })
    void estimates_areThoseOfWholeNumbers(long n, long c, int k, double any, double all) {
        assertThat(PassEstimate.anyOf(k, n, c)).isCloseTo(any, within(1e-12));
        assertThat(PassEstimate.allOf(k, n, c)).isCloseTo(all, within(1e-12 * Math.max(all, 1e-14)));
    }

    @Test
    void estimates_ofAllSmallNumbers_areTheDefinition() {
        for (int n = 1; n <= 12; n++) {
            for (int c = 0; c <= n; c++) {
                for (int k = 1; k <= n; k++) {
                    assertThat(PassEstimate.anyOf(k, n, c)).isCloseTo(1 - ratio(n - c, n, k), within(1e-12));
                    assertThat(PassEstimate.allOf(k, n, c)).isCloseTo(ratio(c, n, k), within(1e-12));
                }
            }
        }
    }

    @Test
    void estimate_fromTooFewAttempts_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> PassEstimate.anyOf(3, 2, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> PassEstimate.allOf(0, 2, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> PassEstimate.anyOf(1, 2, 3));
    }

    private static double ratio(int of, int n, int k) {
        return new BigDecimal(choose(of, k))
                .divide(new BigDecimal(choose(n, k)), MathContext.DECIMAL64)
                .doubleValue();
    }

    private static BigInteger choose(int n, int k) {
        BigInteger result = n < k ? BigInteger.ZERO : BigInteger.ONE;
        for (int i = 0; i < k; i++) {
            result = result.multiply(BigInteger.valueOf(n - i)).divide(BigInteger.valueOf(i + 1));
        }
        return result;
    }
}
