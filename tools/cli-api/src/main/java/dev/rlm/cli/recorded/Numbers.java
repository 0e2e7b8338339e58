package dev.rlm.cli.recorded;

import dev.rlm.cli.Durations;
import dev.rlm.sinks.schema.statistics.Estimate;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Figures as people read them, with no more digits than they are good for. */
public final class Numbers {
    /** Text in the place of a missing figure. */
    public static final String NONE = "-";

    private static final int DIGITS = 3;
    private static final int MOST_DIGITS = 6;
    private static final double LARGE = 1e9;
    private static final double SMALL = 1e-4;
    private static final MathContext FOUR_DIGITS = new MathContext(4);
    private static final double SMALL_P = 1e-4;

    private Numbers() {}

    /** A figure of any kind: a count, a length of time, a fraction, or what is a text already. */
    public static String text(@Nullable Object figure) {
        if (figure instanceof Double value) {
            return of(value);
        } else if (figure instanceof Duration length) {
            return Durations.text(length);
        }
        return figure == null || figure.equals("") ? NONE : figure.toString();
    }

    /** A count of what is better not there. */
    public static String unlessZero(long count) {
        return count == 0 ? NONE : String.valueOf(count);
    }

    public static String of(double value) {
        return of(value, DIGITS);
    }

    /** Of any size, to four digits: {@code 0.0003125}, {@code 41200}, {@code 1.250e-07}. */
    public static String rounded(double value) {
        if (Double.isNaN(value)) {
            return NONE;
        } else if (value == Math.rint(value) && Math.abs(value) < LARGE) {
            return String.valueOf((long) value);
        } else if (Math.abs(value) >= LARGE || Math.abs(value) < SMALL) {
            return String.format(Locale.ROOT, "%.3e", value);
        }
        BigDecimal rounded = new BigDecimal(value).round(FOUR_DIGITS);
        return (rounded.scale() > 0 ? rounded.stripTrailingZeros() : rounded).toPlainString();
    }

    /** A fraction: {@code 12.5 %}. */
    public static String percent(double fraction) {
        return Double.isNaN(fraction) ? NONE : String.format(Locale.ROOT, "%.1f %%", fraction * 100);
    }

    /** With its sign: a difference. */
    public static String signed(double value) {
        return (value > 0 ? "+" : "") + of(value);
    }

    /** The value and its standard error, to two digits of the error: {@code 0.390 ± 0.013}. */
    public static String of(Estimate estimate) {
        if (estimate.count() == 0) {
            return NONE;
        }
        double error = estimate.error();
        if (Double.isNaN(error)) {
            return of(estimate.value());
        }
        int digits = error > 0 ? (int) Math.min(MOST_DIGITS, Math.max(0, 1 - Math.floor(Math.log10(error)))) : DIGITS;
        return of(estimate.value(), digits) + " ± " + of(error, digits);
    }

    /** A p value. */
    public static String p(double value) {
        if (Double.isNaN(value)) {
            return NONE;
        }
        return value < SMALL_P
                ? String.format(Locale.ROOT, "%.1e", value)
                : String.format(Locale.ROOT, value < 0.1 ? "%.4f" : "%.3f", value);
    }

    /** With so many digits behind the point. */
    public static String of(double value, int digits) {
        if (Double.isNaN(value)) {
            return NONE;
        } else if (Math.abs(value) >= LARGE) {
            return String.format(Locale.ROOT, "%.3e", value);
        }
        String text = String.format(Locale.ROOT, "%." + digits + "f", value);
        return text.matches("-0(\\.0*)?") ? text.substring(1) : text;
    }
}
