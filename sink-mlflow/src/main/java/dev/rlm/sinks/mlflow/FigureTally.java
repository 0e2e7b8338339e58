package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Counts of what came of the points of metrics, and of runs' parameters. Safe for use by several threads. */
final class FigureTally {
    private final DeliveryStatus status;
    private boolean taking; // the last points that were sent have arrived, or some of them
    private long undescribed;

    /** @param target where to, for people */
    FigureTally(String target) {
        status = new DeliveryStatus(LoggerFactory.getLogger("dev.rlm.sinks.mlflow"), "metrics", "points", target);
    }

    /** What is wrong with sending them. */
    DeliveryStatus status() {
        return status;
    }

    /** So many points have arrived; where there is a failure, none of them or not all. */
    synchronized void settled(long points, @Nullable Failure failure) {
        long lost = failure == null ? 0 : Math.min(points, failure.rejected());
        if (lost < points) {
            status.settled(points - lost, null);
            taking = true;
        }
        if (failure != null && failure.isPartial() && taking) { // it is for what is wrong with them alone
            status.refused(lost, failure);
        } else if (failure != null) {
            status.settled(lost, failure.rejected(Failure.ALL));
            taking = false;
        }
    }

    /** A run's parameters were refused; its figures are not. */
    synchronized void undescribed(Failure cause) {
        undescribed++;
        status.note("parameters: " + cause.text());
    }

    /** For one line. */
    String summary() {
        long lost = facts().entrySet().stream()
                .filter(fact -> fact.getKey().startsWith("points_lost."))
                .mapToLong(fact -> (Long) fact.getValue())
                .sum();
        return status.summary() + (lost == 0 ? "" : ", " + lost + " lost");
    }

    /** All of it, for a status. */
    synchronized Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        status.facts("metrics_").forEach((name, value) -> {
            if (name.startsWith("points_")) {
                facts.put(name.replace("_exported", "_sent").replace("_failed", "_lost"), value);
            } else if (!name.equals("metrics_target")) {
                facts.put(name, value);
            }
        });
        facts.remove("points_rejected");
        if (undescribed > 0) {
            facts.put("params_refused", undescribed);
        }
        return facts;
    }
}
