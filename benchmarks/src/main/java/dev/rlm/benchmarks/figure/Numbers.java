package dev.rlm.benchmarks.figure;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers for people: three digits that count. */
final class Numbers {
    private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.HALF_UP);
    private static final double MANY = 1_000;

    private Numbers() {}

    static String text(double value) {
        if (!Double.isFinite(value)) {
            return "";
        }
        BigDecimal rounded = Math.abs(value) >= MANY
                ? BigDecimal.valueOf(Math.round(value))
                : new BigDecimal(value).round(THREE_DIGITS);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }
}
