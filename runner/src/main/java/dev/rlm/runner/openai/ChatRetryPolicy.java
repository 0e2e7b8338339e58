package dev.rlm.runner.openai;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Policy of retries: after a random time of which the bound doubles (full jitter), and not before the
 * server's own time where it names one.
 *
 * @param most how often
 */
record ChatRetryPolicy(int most, RandomGenerator random) {
    private static final long FIRST_MILLIS = 500;
    private static final long MAX_MILLIS = 30_000;
    private static final long SPREAD_MILLIS = 1_000;

    /**
     * Returns how long to wait before the next try.
     *
     * @param done how often it has been tried again
     * @param left how much time the call has
     * @throws ChatException the same failure, if it is not to be tried again
     */
    Duration pause(ChatException failure, int done, Duration left) throws ChatException {
        if (!failure.isPassing() || done >= most) {
            throw failure;
        }
        Duration asked = failure.pause();
        Duration pause = asked == null ? jitter(done) : pause(asked);
        if (pause.compareTo(left) < 0) {
            return pause;
        }
        // An earlier try would be refused again, and a wait of hours would hide a quota that is used up.
        throw ChatException.lasting(failure.getMessage() + " (to try again in " + pause.toSeconds()
                + " s would be too late: --model-timeout)");
    }

    /** Returns how long to wait for a server that has paused for that long. */
    Duration pause(Duration asked) {
        return asked.plus(spread(asked));
    }

    private Duration jitter(int done) {
        return Duration.ofMillis(random.nextLong(1 + Math.min(MAX_MILLIS, FIRST_MILLIS << Math.min(done, 20))));
    }

    /** A little more than was asked for, so that those who were told the same do not all come back at once. */
    private Duration spread(Duration asked) {
        return Duration.ofMillis(random.nextLong(1 + Math.min(SPREAD_MILLIS, asked.toMillis() / 4)));
    }

    /** Returns whether the same request may work a little later. */
    static boolean isPassing(int status) {
        return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
    }

    /** Returns how long the server asks to wait; {@code null} where it does not say, or not so that it can be read. */
    static @Nullable Duration asked(HttpHeaders headers, Instant now) {
        Optional<Duration> millis = headers.firstValue("retry-after-ms").flatMap(text -> number(text, 1));
        return millis.or(() -> headers.firstValue("retry-after")
                        .flatMap(text -> number(text, 1_000).or(() -> until(text, now))))
                .orElse(null);
    }

    private static Optional<Duration> number(String text, int millis) {
        try {
            double value = Double.parseDouble(text.strip()) * millis;
            return value >= 0 && value <= Integer.MAX_VALUE
                    ? Optional.of(Duration.ofMillis((long) Math.ceil(value)))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> until(String text, Instant now) {
        try {
            Instant then = ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return Optional.of(then.isAfter(now) ? Duration.between(now, then) : Duration.ZERO);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
