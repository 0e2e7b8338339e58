package dev.rlm.runner.terminal;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Lengths of time as people write them: {@code 200ms}, {@code 1.5s}, {@code 2m}, {@code 1h}. */
public final class Durations implements ITypeConverter<Duration> {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final Map<String, Long> UNITS =
            Map.of("ns", 1L, "us", MICRO, "µs", MICRO, "ms", MILLI, "s", SECOND, "m", 60 * SECOND, "h", 3_600 * SECOND);
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ns|us|µs|ms|s|m|h)");
    private static final BigDecimal MAX_NANOS =
            BigDecimal.valueOf(Duration.ofDays(7).toNanos());

    /** Reads a duration of a week at the most. */
    @Override
    public Duration convert(String value) {
        Matcher form = FORM.matcher(value);
        if (form.matches()) {
            BigDecimal unit = BigDecimal.valueOf(UNITS.getOrDefault(form.group(2), 0L));
            BigDecimal nanos = new BigDecimal(form.group(1)).multiply(unit);
            if (nanos.compareTo(MAX_NANOS) <= 0) {
                return Duration.ofNanos(nanos.longValue());
            }
        }
        throw new TypeConversionException("'" + value + "' is not a duration such as 200ms, 4s, 2m or 1h");
    }

    /** The duration in its natural unit. */
    public static String text(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos < MICRO) {
            return nanos + "ns";
        } else if (nanos < MILLI) {
            return scaled(nanos, MICRO, "µs");
        } else if (nanos < SECOND) {
            return scaled(nanos, MILLI, "ms");
        } else if (nanos < 60 * SECOND) {
            return scaled(nanos, SECOND, "s");
        } else if (duration.toHours() == 0) {
            return String.format(Locale.ROOT, "%dm%02ds", duration.toMinutes(), duration.toSecondsPart());
        }
        return String.format(Locale.ROOT, "%dh%02dm", duration.toHours(), duration.toMinutesPart());
    }

    private static String scaled(long nanos, long unit, String name) {
        double value = (double) nanos / unit;
        return String.format(Locale.ROOT, value < 10 ? "%.2f%s" : value < 100 ? "%.1f%s" : "%.0f%s", value, name);
    }
}
