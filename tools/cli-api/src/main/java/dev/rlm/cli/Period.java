package dev.rlm.cli;

import dev.rlm.sinks.Quantity;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that choose what began in a time, whose end is not in it. */
public class Period {
    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = Moment.class,
            description =
                    "Runs that started at this time or later: 2026-03-01, 2026-03-01T10:20 (UTC), or an age: 2h, 3d.")
    private @Nullable Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = Moment.class,
            description = "Runs that started before this time.")
    private @Nullable Instant until;

    /** Returns whether neither option is given, so that it contains every time. */
    public final boolean isWhole() {
        return since == null && until == null;
    }

    /** Returns whether a time lies in it. */
    public final boolean contains(Instant time) {
        return (since == null || !time.isBefore(since)) && (until == null || time.isBefore(until));
    }

    /** Reads a time as people write it: a date, a time of a date, which is UTC unless it says otherwise, or how long ago it was. */
    static final class Moment implements ITypeConverter<Instant> {
        private static final DateTimeFormatter DATE = new DateTimeFormatterBuilder()
                .append(DateTimeFormatter.ISO_LOCAL_DATE)
                .optionalStart()
                .appendLiteral('T')
                .append(DateTimeFormatter.ISO_LOCAL_TIME)
                .optionalStart()
                .appendOffsetId()
                .toFormatter(Locale.ROOT);

        @Override
        public Instant convert(String text) {
            return Quantity.duration(text).map(Instant.now()::minus).orElseGet(() -> ofDate(text));
        }

        private static Instant ofDate(String text) {
            try {
                TemporalAccessor read = DATE.parseBest(
                        text.strip().replace(' ', 'T'), OffsetDateTime::from, LocalDateTime::from, LocalDate::from);
                return read instanceof OffsetDateTime time
                        ? time.toInstant()
                        : (read instanceof LocalDate day ? day.atStartOfDay() : LocalDateTime.from(read))
                                .toInstant(ZoneOffset.UTC);
            } catch (DateTimeException e) {
                throw new TypeConversionException("'" + text
                        + "' is neither a time such as 2026-03-01T10:20:30Z nor an age such as 30m, 2h or 3d");
            }
        }
    }
}
