package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.Trouble;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What came of the points of metrics, and what is wrong with sending them. Safe for use by several threads. */
final class FigureTally {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.mlflow");

    private final String target;
    private final Trouble trouble;
    private final Map<String, Long> failed = new TreeMap<>();
    private final Map<String, Long> others = new TreeMap<>(); // losses of what is no point
    private long sent;
    private boolean hopeless;

    /**
     * @param target where to, for people
     */
    FigureTally(String target) {
        this.target = target;
        trouble = new Trouble(LOG, "metrics", target);
    }

    /** So many points have arrived. */
    synchronized void arrived(long points) {
        sent += points;
        trouble.arrived();
        hopeless = false;
    }

    /** The server does what it is asked for. */
    synchronized void ready() {
        trouble.over();
        hopeless = false;
    }

    /** A request has failed; it may be made again. */
    synchronized void failing(Failure cause) {
        trouble.failing(cause);
    }

    /** There is no run to send to, and there may be none for long. */
    synchronized void setUpFailing(Failure cause) {
        failing(cause);
        hopeless = cause.remedy() != Remedy.RETRY;
    }

    /** A run's parameters were refused; its figures are not. */
    synchronized void undescribed(Failure cause) {
        others.merge("params_refused", 1L, Long::sum);
        trouble.note("parameters: " + cause.text());
    }

    /** So many points are given up. */
    synchronized void failed(long points, Failure cause) {
        failing(cause);
        givenUp(points, cause.reason());
    }

    /** So many points are given up, for what is wrong with them alone. */
    synchronized void refused(long points, Failure cause) {
        trouble.note(cause.text());
        if (trouble.isToBeSaid(cause)) {
            LOG.warn("{} refuses a point of a metric: {}", target, cause.detail());
        }
        givenUp(points, cause.reason());
    }

    /** So many points are given up without a try. */
    synchronized void givenUp(long points, String reason) {
        if (points > 0) {
            failed.merge(reason, points, Long::sum);
        }
    }

    /** Whether there is no run to send to, for a reason that does not pass by itself. */
    synchronized boolean isHopeless() {
        return hopeless;
    }

    /** Why the last request failed; {@code null} where it did not. */
    synchronized @Nullable Failure failure() {
        return trouble.failure();
    }

    /** For one line. */
    synchronized String summary() {
        long lost = failed.values().stream().mapToLong(Long::longValue).sum();
        return sent + " points arrived" + (lost == 0 ? "" : ", " + lost + " lost");
    }

    synchronized Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("points_sent", sent);
        failed.forEach((reason, count) -> facts.put("points_lost." + reason, count));
        facts.putAll(others);
        facts.putAll(trouble.facts("metrics_"));
        return facts;
    }
}
