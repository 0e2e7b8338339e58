package dev.rlm.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Checks that what was given for an option is within its bounds. */
public final class Bounds {
    private static final int MAX_PORT = 65_535;

    private Bounds() {}

    /** Checks a port, or 0 for a free one. */
    public static void checkPort(String option, int port) {
        checkRange(option, port, 0, MAX_PORT);
    }

    /** Checks a whole number. */
    public static void checkRange(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new UsageException(
                    option + "=" + value + " is not valid: expected a whole number from " + min + " to " + max);
        }
    }

    /** Checks a time; {@code null} where none was given. */
    public static void checkAboveZero(String option, @Nullable Duration time) {
        if (time != null && time.isZero()) {
            throw new UsageException(option + "=0 is not valid: expected a time above 0");
        }
    }
}
