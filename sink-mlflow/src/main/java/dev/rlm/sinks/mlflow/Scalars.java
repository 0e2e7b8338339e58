package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Training's numbers as points: {@code trainer/loss} at the step that the step field says. */
final class Scalars {
    private static final double TWO_TO_63 = 0x1p63;

    private Scalars() {}

    /** Why the server would not keep the numbers, though it would say that it did; {@code null} where it would. */
    static @Nullable String refusal(MetricsReported event) {
        double step = event.values().getOrDefault(event.stepField(), Double.NaN);
        if (step != Math.rint(step) || Math.abs(step) >= TWO_TO_63) {
            return "step_not_whole";
        }
        return event.time().toEpochMilli() < 0 ? "time_before_1970" : null;
    }

    /** The points of an event that is not refused. */
    static List<Metric> points(MetricsReported event) {
        long step = event.values().getOrDefault(event.stepField(), 0.0).longValue();
        long time = event.time().toEpochMilli();
        List<Metric> points = new ArrayList<>(event.values().size());
        event.values()
                .forEach((name, value) ->
                        points.add(new Metric(Keys.valid(event.category() + "/" + name), value, time, step)));
        return points;
    }
}
