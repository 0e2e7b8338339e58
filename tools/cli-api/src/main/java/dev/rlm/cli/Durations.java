package dev.rlm.cli;

import dev.rlm.sinks.Quantity;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Lengths of time as people write them: {@code 200ms}, {@code 1.5s}, {@code 2m}, {@code 1h}. */
public final class Durations implements ITypeConverter<Duration> {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final Duration MAX = Duration.ofDays(7);

    /** Reads a duration of a week at the most. */
    @Override
    public Duration convert(String value) {
        return Quantity.duration(value)
                .filter(duration -> duration.compareTo(MAX) <= 0)
                .orElseThrow(() -> new TypeConversionException(
                        "'" + value + "' is not a duration such as 200ms, 4s, 2m or 1h, of 7d at the most"));
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
