package dev.rlm.cli;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A range of values with both ends in it: {@code lo..hi}, {@code lo..}, {@code ..hi}, or a single value.
 *
 * @param text as it was given
 */
record Range<T extends Comparable<T>>(
        @Nullable T low, @Nullable T high, String text) {
    boolean contains(T value) {
        return (low == null || low.compareTo(value) <= 0) && (high == null || high.compareTo(value) >= 0);
    }

    private static <T extends Comparable<T>> Range<T> parse(String text, String example, Function<String, T> bound) {
        try {
            int dots = text.indexOf("..");
            String low = dots < 0 ? text : text.substring(0, dots);
            String high = dots < 0 ? text : text.substring(dots + 2);
            Range<T> range = new Range<>(
                    low.isBlank() ? null : bound.apply(low.strip()),
                    high.isBlank() ? null : bound.apply(high.strip()),
                    text);
            if ((range.low == null && range.high == null) || range.isReversed()) {
                throw new IllegalArgumentException("nothing in it");
            }
            return range;
        } catch (IllegalArgumentException | TypeConversionException e) {
            throw new TypeConversionException("'" + text + "' is not a range such as " + example);
        }
    }

    @Override
    public String toString() {
        return text;
    }

    private boolean isReversed() {
        return low != null && high != null && low.compareTo(high) > 0;
    }

    /** Reads a range of numbers. */
    static final class OfNumbers implements ITypeConverter<Range<Double>> {
        @Override
        public Range<Double> convert(String text) {
            return parse(text, "0.5..1, 0.5.. or ..1", OfNumbers::number);
        }

        private static Double number(String text) {
            double number = Double.parseDouble(text);
            if (Double.isNaN(number)) {
                throw new IllegalArgumentException("no number");
            }
            return number;
        }
    }

    /** Reads a range of whole numbers. */
    static final class OfCounts implements ITypeConverter<Range<Long>> {
        @Override
        public Range<Long> convert(String text) {
            return parse(text, "2..5, 2.. or ..5", Long::valueOf);
        }
    }

    /** Reads a range of lengths of time. */
    static final class OfDurations implements ITypeConverter<Range<Duration>> {
        private static final Durations DURATIONS = new Durations();

        @Override
        public Range<Duration> convert(String text) {
            return parse(text, "200ms..4s, 4s.. or ..2m", DURATIONS::convert);
        }
    }
}
