package dev.rlm.journal;

import dev.rlm.sinks.Quantity;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time as people write it: {@code 2026-03-01T10:20:30Z}, {@code 2026-03-01}, or how long ago it was: {@code 2h}. */
public final class Since implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String value) {
        Optional<Duration> age = Quantity.duration(value);
        try {
            if (age.isPresent()) {
                return Instant.now().minus(age.get());
            }
            return value.contains("T")
                    ? OffsetDateTime.parse(value).toInstant()
                    : LocalDate.parse(value).atStartOfDay(ZoneOffset.UTC).toInstant();
        } catch (DateTimeException e) {
            throw new TypeConversionException(
                    "'" + value + "' is neither a time such as 2026-03-01T10:20:30Z nor an age such as 30m, 2h or 3d");
        }
    }
}
