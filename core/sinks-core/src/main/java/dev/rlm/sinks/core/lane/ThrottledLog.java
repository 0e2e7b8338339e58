package dev.rlm.sinks.core.lane;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of a sink's troubles: at once when a cause is new, and from then on once a minute with the number of times. A log
 * that fails does no harm.
 */
final class ThrottledLog {
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger logger = LoggerFactory.getLogger("dev.rlm.sinks");
    private final String sink;
    private final UnaryOperator<String> redaction;
    private final LongSupplier nanoTime;
    private final Map<String, Cause> causes = new ConcurrentHashMap<>();

    ThrottledLog(String sink, UnaryOperator<String> redaction, LongSupplier nanoTime) {
        this.sink = sink;
        this.redaction = redaction;
        this.nanoTime = nanoTime;
    }

    void warn(String cause, String message) {
        Cause known = causes.putIfAbsent(cause, new Cause(nanoTime.getAsLong()));
        if (known == null) {
            say(message);
        } else {
            long times = known.due(nanoTime.getAsLong());
            if (times > 0) {
                say(message + " (" + times + " times since the last such line)");
            }
        }
    }

    /** Warns whatever was said before: of what comes once. */
    @SuppressWarnings("CatchThrowable") // a program's log may throw anything
    void say(String message) {
        try {
            logger.warn("sink {}: {}", sink, redaction.apply(message));
        } catch (Throwable e) {
            // there is no other place to tell it
        }
    }

    private static final class Cause {
        private long lastLogged;
        private long times;

        Cause(long now) {
            lastLogged = now;
        }

        /** Counts one more. Returns the number since it was last logged if it is time to log again; else 0. */
        synchronized long due(long now) {
            times++;
            if (now - lastLogged < INTERVAL_NANOS) {
                return 0;
            }
            long due = times;
            times = 0;
            lastLogged = now;
            return due;
        }
    }
}
