package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
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
 * What came of the points of metrics. Says in the log that sending has begun to fail, once a cause and for each at most once
 * a minute, and that it works again. Safe for use by several threads.
 */
final class FigureTally {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.mlflow");
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String target;
    private final Map<String, Long> failed = new TreeMap<>();
    private final Map<String, Long> saidAt = new HashMap<>(); // by reason, of which there are few
    private final Map<String, Long> others = new TreeMap<>(); // losses of what is no point
    private long sent;
    private boolean hopeless;
    private @Nullable Instant lastSuccess;
    private @Nullable String lastFailure;
    private @Nullable Failure failure;
    private @Nullable String saidReason; // what the log says is wrong now

    /**
     * @param target where to, for people
     */
    FigureTally(String target) {
        this.target = target;
    }

    /** So many points have arrived. */
    synchronized void arrived(long points) {
        sent += points;
        lastSuccess = now();
        ready();
    }

    /** The server does what it is asked for. */
    synchronized void ready() {
        if (saidReason != null) {
            LOG.info("metrics are sent to {} again", target);
        }
        failure = null;
        saidReason = null;
        hopeless = false;
    }

    /** A request has failed; it may be made again. */
    synchronized void failing(Failure cause) {
        if (failure != null && cause.isEnd()) {
            return; // what was wrong before tells more
        }
        failure = cause;
        lastFailure = now() + " " + cause.text();
        if (!cause.reason().equals(saidReason) && isToBeSaid(cause)) {
            saidReason = cause.reason();
            LOG.warn("metrics cannot be sent to {}: {}", target, cause.detail());
        }
    }

    /** There is no run to send to, and there may be none for long. */
    synchronized void setUpFailing(Failure cause) {
        failing(cause);
        hopeless = cause.remedy() != Remedy.RETRY;
    }

    /** A run's parameters were refused; its figures are not. */
    synchronized void undescribed(Failure cause) {
        others.merge("params_refused", 1L, Long::sum);
        lastFailure = now() + " parameters: " + cause.text();
    }

    /** What is kept with a run was not. */
    synchronized void artifactLost(String reason) {
        others.merge("artifacts_lost." + reason, 1L, Long::sum);
    }

    private boolean isToBeSaid(Failure cause) {
        long now = System.nanoTime();
        Long last = saidAt.get(cause.reason());
        if (last != null && now - last < QUIET_NANOS) {
            return false;
        }
        saidAt.put(cause.reason(), now);
        return true;
    }

    /** So many points are given up. */
    synchronized void failed(long points, Failure cause) {
        failing(cause);
        givenUp(points, cause.reason());
    }

    /** So many points are given up, for what is wrong with them alone. */
    synchronized void refused(long points, Failure cause) {
        lastFailure = now() + " " + cause.text();
        if (isToBeSaid(cause)) {
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
        return failure;
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
        if (lastSuccess != null) {
            facts.put("metrics_last_success", lastSuccess.toString());
        }
        if (lastFailure != null) {
            facts.put("metrics_last_failure", lastFailure);
        }
        return facts;
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
