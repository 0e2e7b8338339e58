package dev.rlm.sinks.delivery;

import dev.rlm.sinks.delivery.Failure.Remedy;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Meaning of HTTP's statuses other than success. */
public final class HttpFailure {
    private static final Duration LONGEST = Duration.ofDays(365);

    private HttpFailure() {}

    /**
     * Returns the failure of a request with that status.
     *
     * @param retryAfter the header {@code Retry-After} of the answer, if it has one
     */
    public static Failure of(int status, @Nullable String retryAfter) {
        return Failure.of("export_http_" + status, "HTTP status " + status + meaning(status), remedy(status))
                .retryAfter(retryAfter(retryAfter, Instant.now()));
    }

    private static String meaning(int status) {
        return switch (status) {
            case 400 -> ": the request is not understood";
            case 401 -> ": credentials are missing or wrong";
            case 403 -> ": not allowed with these credentials";
            case 404, 405 -> ": this is not taken at this address";
            case 413 -> ": too large";
            case 415 -> ": not in this format";
            case 429 -> ": too many requests";
            case 502, 503, 504 -> ": out of order or overloaded";
            default -> status / 100 == 3 ? ": moved to another address" : status / 100 == 5 ? ": its own error" : "";
        };
    }

    private static Remedy remedy(int status) {
        return switch (status) {
            case 429, 502, 503, 504 -> Remedy.RETRY;
            case 413 -> Remedy.SPLIT;
            default -> Remedy.NONE;
        };
    }

    /** Returns the time, which is in seconds or a date; zero where it is neither. */
    private static Duration retryAfter(@Nullable String header, Instant now) {
        if (header == null) {
            return Duration.ZERO;
        }
        String value = header.strip();
        try {
            if (value.matches("\\d+")) {
                return value.length() > 8 ? LONGEST : Duration.ofSeconds(Long.parseLong(value));
            }
            Instant then = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
                    .toInstant();
            Duration left = Duration.between(now, then);
            return left.isNegative() ? Duration.ZERO : left.compareTo(LONGEST) > 0 ? LONGEST : left;
        } catch (DateTimeException | ArithmeticException e) {
            return Duration.ZERO;
        }
    }
}
