package dev.rlm.sinks.otel.otlp;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What came of one signal's items, which are spans, the points of metrics, log records and the like, and what is wrong with
 * sending them. Safe for use by several threads.
 */
public final class Tally {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.otel");

    private final String items;
    private final String target;
    private final Map<String, Long> failed = new TreeMap<>();
    private final Trouble trouble;
    private long exported;
    private long rejected;
    private String rejection = ""; // what the back end last said of it

    /**
     * @param signal what is sent: {@code spans}, {@code metrics}, {@code logs}
     * @param items what is counted: {@code spans}, {@code points}, {@code logs}
     * @param target where to, for people
     */
    public Tally(String signal, String items, String target) {
        this.items = items;
        this.target = target;
        trouble = new Trouble(LOG, signal, target);
    }

    public String target() {
        return target;
    }

    /** So many items have arrived. */
    public synchronized void arrived(long count) {
        exported += count;
        trouble.arrived();
    }

    /** A request has failed; it may be made again. */
    public synchronized void failing(Failure cause) {
        trouble.failing(cause);
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
        trouble.note((count > 0 ? count + " " + items + " rejected" : "warning") + ": " + cause.said());
        rejected += count;
    }

    /** Why the last request failed; {@code null} where it did not. */
    public synchronized @Nullable Failure failure() {
        return trouble.failure();
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
        facts.putAll(trouble.facts(prefix));
        return facts;
    }
}
