package dev.rlm.runner.journal;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.jsonl.RunSummary;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Numbers and times as people read them. */
final class Shown {
    private static final double SMALL = 1e-4;
    private static final double LARGE = 1e9;
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private Shown() {}

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

    /** A time in UTC, to the second. */
    static String time(Instant time) {
        return SECONDS.format(time);
    }
}
