package dev.rlm.runner.journal;

import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A range of values with both ends in it: {@code lo..hi}, {@code lo..}, {@code ..hi}, or a single value. */
record Range<T extends Comparable<T>>(
        @Nullable T low, @Nullable T high) {
    boolean contains(T value) {
        return (low == null || low.compareTo(value) <= 0) && (high == null || high.compareTo(value) >= 0);
    }

    private static <T extends Comparable<T>> Range<T> parse(String text, String example, Function<String, T> bound) {
        try {
            int dots = text.indexOf("..");
            String low = dots < 0 ? text : text.substring(0, dots);
            String high = dots < 0 ? text : text.substring(dots + 2);
            Range<T> range = new Range<>(
                    low.isBlank() ? null : bound.apply(low.strip()), high.isBlank() ? null : bound.apply(high.strip()));
            if ((range.low == null && range.high == null) || range.isReversed()) {
                throw new IllegalArgumentException("nothing in it");
            }
            return range;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new TypeConversionException("'" + text + "' is not a range such as " + example);
        }
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
    static final class OfCounts implements ITypeConverter<Range<Integer>> {
        @Override
        public Range<Integer> convert(String text) {
            return parse(text, "2..5, 2.. or ..5", Integer::valueOf);
        }
    }

    /** Reads a range of lengths of time. */
    static final class OfDurations implements ITypeConverter<Range<Duration>> {
        private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(\\.\\d{1,9})?(ns|us|µs|ms|s|m|h)");

        @Override
        public Range<Duration> convert(String text) {
            return parse(text, "200ms..4s, 4s.. or ..2m", OfDurations::duration);
        }

        private static Duration duration(String text) {
            Matcher matcher = DURATION.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("no duration");
            }
            Duration unit = switch (matcher.group(3)) {
                case "ns" -> Duration.ofNanos(1);
                case "ms" -> Duration.ofMillis(1);
                case "s" -> Duration.ofSeconds(1);
                case "m" -> Duration.ofMinutes(1);
                case "h" -> Duration.ofHours(1);
                default -> Duration.ofNanos(1_000);
            };
            double part = matcher.group(2) == null ? 0 : Double.parseDouble("0" + matcher.group(2));
            return unit.multipliedBy(Long.parseLong(matcher.group(1))).plusNanos(Math.round(unit.toNanos() * part));
        }
    }
}
