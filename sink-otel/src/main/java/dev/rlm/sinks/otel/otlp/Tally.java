package dev.rlm.sinks.otel.otlp;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What came of one signal's items, which are spans, the points of metrics or log records. Says in the log that sending has begun to fail,
 * once a cause and for each at most once a minute, and that it works again. Safe for use by several threads.
 */
public final class Tally {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.otel");
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String signal;
    private final String items;
    private final String target;
    private final Map<String, Long> failed = new TreeMap<>();
    private final Map<String, Long> saidAt = new HashMap<>(); // by reason, of which there are few; see System.nanoTime
    private long exported;
    private long rejected;
    private String rejection = ""; // what the back end last said of it
    private @Nullable Instant lastSuccess;
    private @Nullable String lastFailure;
    private @Nullable Failure failure;
    private @Nullable String saidReason; // what the log says is wrong now

    /**
     * @param signal what is sent: {@code spans}, {@code metrics}, {@code logs}
     * @param items what is counted: {@code spans}, {@code points}, {@code logs}
     * @param target where to, for people
     */
    public Tally(String signal, String items, String target) {
        this.signal = signal;
        this.items = items;
        this.target = target;
    }

    public String target() {
        return target;
    }

    /** So many items have arrived. */
    public synchronized void arrived(long count) {
        exported += count;
        lastSuccess = now();
        if (saidReason != null) {
            LOG.info("{} are sent to {} again", signal, target);
        }
        failure = null;
        saidReason = null;
    }

    /** A request has failed; it may be made again. */
    public synchronized void failing(Failure cause) {
        if (failure != null && cause.isEnd()) {
            return; // what was wrong before tells more
        }
        failure = cause;
        note(cause.text());
        if (!cause.reason().equals(saidReason) && isToBeSaid(cause)) {
            saidReason = cause.reason();
            LOG.warn("{} cannot be sent to {}: {}", signal, target, cause.detail());
        }
    }

    /** Whether it has not been said for a minute; if so, it has been now. */
    private boolean isToBeSaid(Failure cause) {
        long now = System.nanoTime();
        Long last = saidAt.get(cause.reason());
        if (last != null && now - last < QUIET_NANOS) {
            return false;
        }
        saidAt.put(cause.reason(), now);
        return true;
    }

    /** So many items are given up. */
    public synchronized void failed(long count, Failure cause) {
        failing(cause);
        failed.merge(cause.reason(), count, Long::sum);
    }

    /** So many items are given up without a try. */
    public synchronized void givenUp(long count, String reason) {
        if (count > 0) {
            failed.merge(reason, count, Long::sum);
        }
    }

    /** So many items were refused out of a request that was understood; none of it arrived if {@code all}. */
    public synchronized void rejected(long count, boolean all, Failure cause) {
        if (all) {
            failing(cause);
        } else if (count > 0 && rejected == 0) {
            LOG.warn("{} rejects {}; its status tells why", target, items);
        }
        rejection = cause.said().isEmpty() ? "" : " (“" + cause.said() + "”)";
        note((count > 0 ? count + " " + items + " rejected" : "warning") + ": " + cause.said());
        rejected += count;
    }

    private void note(String text) {
        lastFailure = now() + " " + text;
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    /** Why the last request failed; {@code null} where it did not. */
    public synchronized @Nullable Failure failure() {
        return failure;
    }

    /** For one line: how many have arrived, and how many were refused. */
    public synchronized String summary() {
        String refused = rejected == 0 ? "" : ", " + rejected + " rejected" + rejection;
        return exported + " " + items + " arrived" + refused;
    }

    /** All of it, for {@link dev.rlm.sinks.Sink.Health#facts}; what is not of items has the prefix. */
    public synchronized Map<String, Object> facts(String prefix) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put(prefix + "target", target);
        facts.put(items + "_exported", exported);
        facts.put(items + "_rejected", rejected);
        failed.forEach((reason, count) -> facts.put(items + "_failed." + reason, count));
        if (lastSuccess != null) {
            facts.put(prefix + "last_success", lastSuccess.toString());
        }
        if (lastFailure != null) {
            facts.put(prefix + "last_failure", lastFailure);
        }
        return facts;
    }
}
