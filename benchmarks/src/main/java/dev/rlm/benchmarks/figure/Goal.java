package dev.rlm.benchmarks.figure;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A value of a figure, and its bound.
 *
 * @param value the name of the value in a {@link Sample}
 * @param contender name of the contender whose value it is
 * @param against name of the contender whose value it is divided by, round by round; {@code null} if it is taken as it
 *     is
 * @param limit the highest, or lowest, value that meets the goal; NaN if the value is only shown
 */
public record Goal(String value, String contender, @Nullable String against, boolean atMost, double limit) {
    /** A value by itself, to be bounded. */
    public static Goal of(String value, String contender) {
        return new Goal(value, contender, null, true, Double.NaN);
    }

    /** A value in proportion to that of another in the same round, to be bounded. */
    public static Goal ratio(String value, String contender, String against) {
        return new Goal(value, contender, against, true, Double.NaN);
    }

    public Goal atMost(double most) {
        return new Goal(value, contender, against, true, most);
    }

    public Goal atLeast(double least) {
        return new Goal(value, contender, against, false, least);
    }

    /** Returns the values of the rounds, in their order. */
    double[] outcomes(Result result) {
        List<Sample> own = result.samples(contender);
        List<Sample> other = against == null ? own : result.samples(against);
        return IntStream.range(0, Math.min(own.size(), other.size()))
                .mapToDouble(round -> against == null
                        ? own.get(round).value(value)
                        : own.get(round).value(value) / other.get(round).value(value))
                .toArray();
    }

    boolean isMet(double outcome) {
        return atMost ? outcome <= limit : outcome >= limit;
    }

    String bound() {
        return Double.isNaN(limit) ? "" : (atMost ? "≤ " : "≥ ") + Numbers.text(limit);
    }

    String what() {
        return against == null
                ? value + ", " + contender
                : String.format(Locale.ROOT, "%s, %s ÷ %s", value, contender, against);
    }
}
