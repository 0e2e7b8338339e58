package dev.rlm.sinks.delivery;

import dev.rlm.sinks.Sink.Health;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Counts of what came of the items that go one way, such as spans or the points of metrics, and what is wrong with sending
 * them. Logs that something is wrong, once a cause and for each at most once a minute, and that it is over. Safe for use by
 * several threads.
 */
public final class DeliveryStatus {
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1); // of warnings of one cause

    private final String signal;
    private final String items;
    private final String target;
    private final Logger log;

    // Guarded by this
    private final Map<String, Long> failed = new TreeMap<>(); // items by reason
    private final Map<String, Long> warnedAt = new HashMap<>(); // by cause, of which there are few; see System.nanoTime
    private long arrived;
    private long rejected;
    private String rejection = ""; // what the back end last said of it
    private @Nullable Failure failure; // of the last request
    private @Nullable String warnedReason; // what the log says is wrong now
    private @Nullable Instant lastSuccess;
    private @Nullable String lastFailure;

    /**
     * Makes the counts of one signal.
     *
     * @param signal what is sent, such as {@code metrics}
     * @param items what is counted, such as {@code points}
     * @param target where to, for people
     */
    public DeliveryStatus(Logger log, String signal, String items, String target) {
        this.log = log;
        this.signal = signal;
        this.items = items;
        this.target = target;
    }

    public String target() {
        return target;
    }

    /**
     * Counts what came of items for good; returns how many of them have arrived.
     *
     * @param cause why they were not taken, or not all; {@code null} where they were
     */
    public synchronized long settled(long count, @Nullable Failure cause) {
        if (cause == null) {
            arrived(count);
            return count;
        } else if (cause.isPartial()) {
            return rejected(Math.min(cause.rejected(), count), count, cause);
        }
        if (!cause.isUntried()) {
            failing(cause);
        }
        dropped(count, cause.reason());
        return 0;
    }

    private void arrived(long count) {
        arrived += count;
        lastSuccess = now();
        working();
    }

    private long rejected(long count, long of, Failure cause) {
        if (count < of) {
            arrived(of - count);
        }
        if (count == of) {
            failing(cause);
        } else if (count > 0 && rejected == 0) {
            warn(cause.reason(), target + " rejects " + items + "; its status tells why");
        }
        rejection = cause.said().isEmpty() ? "" : " (“" + cause.said() + "”)";
        note((count > 0 ? count + " " + items + " rejected" : "warning") + ": " + cause.said());
        rejected += count;
        return of - count;
    }

    /** Counts items that are lost for what is wrong with them alone. */
    public synchronized void refused(long count, Failure cause) {
        note(cause.text());
        warn(cause.reason(), target + " refuses some " + items + ": " + cause.detail());
        dropped(count, cause.reason());
    }

    /** Counts items that are lost without a try. */
    public synchronized void dropped(long count, String reason) {
        if (count > 0) {
            failed.merge(reason, count, Long::sum);
        }
    }

    /** Notes that a request has failed, which may be made again. */
    public synchronized void failing(Failure cause) {
        if (failure != null && !cause.tellsMoreThan(failure)) {
            return;
        }
        boolean told = failure != null && cause.isEnd(); // in the log, that nothing has answered
        failure = cause;
        note(cause.text());
        if (!told
                && !cause.reason().equals(warnedReason)
                && warn(cause.reason(), signal + " cannot be sent to " + target + ": " + cause.detail())) {
            warnedReason = cause.reason();
        }
    }

    /** Warns, unless it has done so of this cause within the last minute; returns whether it has now. */
    private boolean warn(String cause, String message) {
        long now = System.nanoTime();
        Long last = warnedAt.get(cause);
        if (last != null && now - last < INTERVAL_NANOS) {
            return false;
        }
        warnedAt.put(cause, now);
        log.warn(message);
        return true;
    }

    /** Notes that nothing is wrong any more. */
    public synchronized void working() {
        if (warnedReason != null) {
            log.info(signal + " are sent to " + target + " again");
        }
        failure = null;
        warnedReason = null;
    }

    /** Keeps in mind what has failed just now, for {@link #facts}. */
    public synchronized void note(String text) {
        lastFailure = now() + " " + text;
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    /** Returns why the last request failed; {@code null} where it did not. */
    public synchronized @Nullable Failure failure() {
        return failure;
    }

    /** Returns in one line how many have arrived, and how many were refused. */
    public synchronized String summary() {
        String refused = rejected == 0 ? "" : ", " + rejected + " rejected" + rejection;
        return arrived + " " + items + " arrived" + refused;
    }

    /** Returns all of it, for {@link Health#facts}; what is not of items has the prefix. */
    public synchronized Map<String, Object> facts(String prefix) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put(prefix + "target", target);
        facts.put(items + "_exported", arrived);
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

    /** Returns how a sink fares that sends nothing else. */
    public Health health() {
        Failure last = failure();
        String trouble = last == null ? "" : ", last failure: " + last.text();
        return new Health(last == null, target + ", " + summary() + trouble, facts(""));
    }
}
