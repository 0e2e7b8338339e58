package dev.rlm.runner.journal;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time as people write it: {@code 2026-03-01T10:20:30Z}, {@code 2026-03-01}, or how long ago it was: {@code 2h}. */
public final class Since implements ITypeConverter<Instant> {
    private static final Pattern AGE = Pattern.compile("(\\d{1,6})([smhd])");
    private static final Map<String, ChronoUnit> UNITS =
            Map.of("s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d", ChronoUnit.DAYS);

    @Override
    public Instant convert(String value) {
        Matcher age = AGE.matcher(value);
        if (age.matches()) {
            ChronoUnit unit = UNITS.getOrDefault(age.group(2), ChronoUnit.SECONDS);
            return Instant.now().minus(Duration.of(Long.parseLong(age.group(1)), unit));
        }
        try {
            return value.contains("T")
                    ? OffsetDateTime.parse(value).toInstant()
                    : LocalDate.parse(value).atStartOfDay(ZoneOffset.UTC).toInstant();
        } catch (DateTimeException e) {
            throw new TypeConversionException(
                    "'" + value + "' is neither a time such as 2026-03-01T10:20:30Z nor an age such as 30m, 2h or 3d");
        }
    }
}
