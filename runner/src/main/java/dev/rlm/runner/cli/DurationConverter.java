package dev.rlm.runner.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration such as {@code 200ms}, {@code 1.5s}, {@code 2m} or {@code 1h}; no longer than a week. */
final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h)");
    private static final Map<String, Duration> UNITS = Map.of(
            "ms",
            Duration.ofMillis(1),
            "s",
            Duration.ofSeconds(1),
            "m",
            Duration.ofMinutes(1),
            "h",
            Duration.ofHours(1));
    private static final BigDecimal MAX_NANOS =
            BigDecimal.valueOf(Duration.ofDays(7).toNanos());

    @Override
    public Duration convert(String value) {
        Matcher form = FORM.matcher(value);
        if (form.matches()) {
            BigDecimal unit = BigDecimal.valueOf(
                    UNITS.getOrDefault(form.group(2), Duration.ZERO).toNanos());
            BigDecimal nanos = new BigDecimal(form.group(1)).multiply(unit);
            if (nanos.compareTo(MAX_NANOS) <= 0) {
                return Duration.ofNanos(nanos.longValue());
            }
        }
        throw new TypeConversionException("'" + value + "' is not a duration such as 200ms, 4s, 2m or 1h");
    }
}
