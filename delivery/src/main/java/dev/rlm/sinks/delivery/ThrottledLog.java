package dev.rlm.sinks.delivery;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Log that warns of each cause at once, and from then on once a minute at the most. Guarded by its user. */
final class ThrottledLog {
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final Map<String, Long> warnedAt = new HashMap<>(); // by cause, of which there are few; see System.nanoTime

    ThrottledLog(Logger log) {
        this.log = log;
    }

    /** Warns, unless it has done so of this cause within the last minute; returns whether it has now. */
    boolean warn(String cause, String message) {
        long now = System.nanoTime();
        Long last = warnedAt.get(cause);
        if (last != null && now - last < INTERVAL_NANOS) {
            return false;
        }
        warnedAt.put(cause, now);
        log.warn(message);
        return true;
    }

    void info(String message) {
        log.info(message);
    }
}
