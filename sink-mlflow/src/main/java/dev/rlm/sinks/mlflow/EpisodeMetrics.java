package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.ArrayList;
import java.util.List;

/** The metrics of an episode that has an MLflow run of its own: rewards by step, and what came of it. */
final class EpisodeMetrics {
    private EpisodeMetrics() {}

    /** Those of a step. One whose rewards could not be computed has no reward. */
    static List<Metric> of(StepEnded step) {
        List<Metric> points = new ArrayList<>();
        long time = step.time().toEpochMilli();
        if (!Double.isNaN(step.reward())) {
            points.add(new Metric("step_reward", step.reward(), time, step.step()));
        }
        points.add(new Metric("cumulative_reward", step.cumulativeReward(), time, step.step()));
        return points;
    }

    /** Those of its end. */
    static List<Metric> of(RunEnded end) {
        List<Metric> points = new ArrayList<>();
        long time = end.time().toEpochMilli();
        points.add(new Metric("completed", end.outcome() == Outcome.COMPLETED ? 1 : 0, time, 0));
        points.add(new Metric("steps", end.steps(), time, 0));
        if (end.hasUsableReward()) {
            points.add(new Metric("total_reward", end.totalReward(), time, 0));
        }
        return points;
    }
}
