package dev.rlm.sinks.redaction;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of text that was dropped: it tells at once when a cause is new, and from then on once a minute with the number of
 * times. It never says what was in the text, nor what an exception has to say of it.
 */
final class RedactionLog {
    private static final Logger LOGGER = LoggerFactory.getLogger("dev.rlm.sinks");
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MAX_CAUSES = 64;

    private final Map<String, Cause> causes = new ConcurrentHashMap<>();

    void warn(String cause) {
        String known = causes.containsKey(cause) || causes.size() < MAX_CAUSES ? cause : "various causes";
        Cause earlier = causes.putIfAbsent(known, new Cause(System.nanoTime()));
        if (earlier == null) {
            LOGGER.warn("redaction failed, and text was dropped: {}", known);
            return;
        }
        long times = earlier.due(System.nanoTime());
        if (times > 0) {
            LOGGER.warn("redaction failed, and text was dropped: {} ({} times since the last such line)", known, times);
        }
    }

    private static final class Cause {
        private long lastLogged;
        private long times;

        Cause(long now) {
            lastLogged = now;
        }

        /** Returns the number of times since it was last logged, where it is time to log; else 0. */
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
