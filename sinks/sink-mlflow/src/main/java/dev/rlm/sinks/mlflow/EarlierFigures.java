package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Figures of a job that MLflow's run had before: those of a process go on from there, and those of all its episodes, sent
 * again, stand in their place. One thread at a time.
 */
final class EarlierFigures {
    private static final double SAME = 1e-9; // sums of the same numbers in another order differ by less

    private final boolean resending;
    private final Map<String, Metric> latest = new HashMap<>();

    /** @param resending whether what is told is of all episodes, and not of further ones */
    EarlierFigures(boolean resending) {
        this.resending = resending;
    }

    /** Takes over the last point of each metric. */
    void read(Map<String, Metric> points) {
        latest.putAll(points);
    }

    /** The points by which MLflow learns it; none where fewer runs are sent again than it has been told of. */
    List<Metric> points(JobFigures.Told told) {
        long step = step(JobMetrics.episodesKey(""));
        if (resending && told.ended() < step) {
            return List.of();
        }
        Map<String, JobMetrics> parts = new LinkedHashMap<>(told.parts());
        told.onlyParts().forEach((part, metrics) -> {
            if (latest.containsKey(JobMetrics.episodesKey(part))) {
                parts.put(part, metrics);
            }
        });
        List<Metric> points = new ArrayList<>();
        parts.forEach((part, metrics) -> {
            if (resending) {
                metrics.byKey(part)
                        .forEach((key, value) ->
                                replace(new Metric(key, value, told.timestamp(), told.ended()), points));
            } else {
                metrics.plus(JobMetrics.standing(latest, part))
                        .byKey(part)
                        .forEach((key, value) ->
                                points.add(new Metric(key, value, told.timestamp(), step + told.ended())));
            }
        });
        return points;
    }

    private long step(String key) {
        Metric point = latest.get(key);
        return point == null ? 0 : point.step();
    }

    /**
     * Adds the point unless its value is there already. A changed value gets a later time, because MLflow shows the
     * last.
     */
    private void replace(Metric point, List<Metric> points) {
        Metric standing = latest.get(point.key());
        if (standing == null || !isSame(standing.value(), point.value())) {
            long time = standing == null ? 0 : standing.timestamp() + 1;
            Metric last = new Metric(point.key(), point.value(), Math.max(time, point.timestamp()), point.step());
            latest.put(last.key(), last);
            points.add(last);
        }
    }

    private static boolean isSame(double one, double other) {
        return Math.abs(one - other) <= SAME * Math.max(1, Math.abs(one));
    }
}
