package dev.rlm.sinks.otel.otlp;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * What is wrong with sending one kind of things, if anything is. Says in the log that it has begun, once a cause and for each
 * at most once a minute, and that it is over. Guarded by who counts the things.
 */
public final class Trouble {
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final String signal;
    private final String target;
    private final Map<String, Long> saidAt = new HashMap<>(); // by reason, of which there are few; see System.nanoTime
    private @Nullable Instant lastSuccess;
    private @Nullable String lastFailure;
    private @Nullable Failure failure;
    private @Nullable String saidReason; // what the log says is wrong now

    /**
     * None as yet.
     *
     * @param signal what is sent, such as {@code spans}
     * @param target where to, for people
     */
    public Trouble(Logger log, String signal, String target) {
        this.log = log;
        this.signal = signal;
        this.target = target;
    }

    /** Something has arrived. */
    public void arrived() {
        lastSuccess = now();
        over();
    }

    /** Nothing is wrong any more. */
    public void over() {
        if (saidReason != null) {
            log.info("{} are sent to {} again", signal, target);
        }
        failure = null;
        saidReason = null;
    }

    /** A request has failed; it may be made again. */
    public void failing(Failure cause) {
        if (failure != null && cause.isEnd()) {
            return; // what was wrong before tells more
        }
        failure = cause;
        note(cause.text());
        if (!cause.reason().equals(saidReason) && isToBeSaid(cause)) {
            saidReason = cause.reason();
            log.warn("{} cannot be sent to {}: {}", signal, target, cause.detail());
        }
    }

    /** Whether it has not been said for a minute; if so, it has been now. */
    public boolean isToBeSaid(Failure cause) {
        long now = System.nanoTime();
        Long last = saidAt.get(cause.reason());
        if (last != null && now - last < QUIET_NANOS) {
            return false;
        }
        saidAt.put(cause.reason(), now);
        return true;
    }

    /** Keeps in mind what has failed just now, for {@link #facts}. */
    public void note(String text) {
        lastFailure = now() + " " + text;
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    /** Why the last request failed; {@code null} where it did not. */
    public @Nullable Failure failure() {
        return failure;
    }

    /** When something arrived last, and what failed last, under names with the prefix. */
    public Map<String, Object> facts(String prefix) {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (lastSuccess != null) {
            facts.put(prefix + "last_success", lastSuccess.toString());
        }
        if (lastFailure != null) {
            facts.put(prefix + "last_failure", lastFailure);
        }
        return facts;
    }
}
