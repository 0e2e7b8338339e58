package dev.rlm.runner.journal;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.jsonl.RunSummary;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Numbers and times as people read them. */
final class Figures {
    private static final double SMALL = 1e-4;
    private static final double LARGE = 1e9;
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private Figures() {}

    /** A reward with its sign. */
    static String reward(double value) {
        if (value == 0) {
            return "0";
        } else if (Double.isNaN(value)) {
            return "absent";
        } else if (Double.isInfinite(value)) {
            return value > 0 ? "+Infinity" : "-Infinity";
        }
        double size = Math.abs(value);
        return size < SMALL || size >= LARGE
                ? String.format(Locale.ROOT, "%+.3e", value)
                : new DecimalFormat("+0.####;-0.####", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
    }

    /** A run's total reward; where one of its rewards could not be computed the total is no reward. */
    static String reward(RunSummary run) {
        RunEnded end = run.end();
        return end != null && end.absentRewards() > 0 ? "absent" : reward(run.totalReward());
    }

    /** A length of time in its natural unit. */
    static String duration(Duration duration) {
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

    /** A time in UTC, to the second. */
    static String time(Instant time) {
        return SECONDS.format(time);
    }
}
