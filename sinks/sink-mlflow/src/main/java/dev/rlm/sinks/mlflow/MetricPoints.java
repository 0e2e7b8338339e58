package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Points that events are: of training's numbers, and of an episode that has an MLflow run of its own. */
final class MetricPoints {
    private static final double TWO_TO_63 = 0x1p63;

    private MetricPoints() {}

    /** Returns those of a step. One whose rewards could not be computed has no reward. */
    static List<Metric> of(StepEnded step) {
        List<Metric> points = new ArrayList<>();
        long time = step.time().toEpochMilli();
        if (!Double.isNaN(step.reward())) {
            points.add(new Metric("step_reward", step.reward(), time, step.step()));
        }
        points.add(new Metric("cumulative_reward", step.cumulativeReward(), time, step.step()));
        return points;
    }

    /** Returns those of an episode's end, and those of numbers that it has by name. */
    static List<Metric> of(RunEnded end, Map<String, Double> named) {
        List<Metric> points = new ArrayList<>();
        long time = end.time().toEpochMilli();
        points.add(new Metric("completed", end.outcome() == Outcome.COMPLETED ? 1 : 0, time, 0));
        points.add(new Metric("steps", end.steps(), time, 0));
        if (end.hasUsableReward()) {
            points.add(new Metric("total_reward", end.totalReward(), time, 0));
        }
        named.forEach((name, value) -> points.add(new Metric(Keys.valid(name), value, time, 0)));
        return points;
    }

    /** Returns why the server would not keep the numbers, though it would say that it did; {@code null} where it would. */
    static @Nullable String refusal(MetricsReported event) {
        double step = event.values().getOrDefault(event.stepField(), Double.NaN);
        if (step != Math.rint(step) || Math.abs(step) >= TWO_TO_63) {
            return "step_not_whole";
        }
        return event.time().toEpochMilli() < 0 ? "time_before_1970" : null;
    }

    /** Returns the points of training's numbers, {@code trainer/loss} at the step that the step field says, unless refused. */
    static List<Metric> of(MetricsReported event) {
        long step = event.values().getOrDefault(event.stepField(), 0.0).longValue();
        long time = event.time().toEpochMilli();
        List<Metric> points = new ArrayList<>(event.values().size());
        event.values()
                .forEach((name, value) ->
                        points.add(new Metric(Keys.valid(event.category() + "/" + name), value, time, step)));
        return points;
    }
}
