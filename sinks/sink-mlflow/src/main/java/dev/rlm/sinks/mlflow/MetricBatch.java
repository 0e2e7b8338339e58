package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Points that one event gives to one of MLflow's runs. Made on the lane; sent by one thread at a time. */
final class MetricBatch {
    private final MlflowRun run;
    private final int weight;
    private final Supplier<List<Metric>> maker;
    private final @Nullable DeliveryOutcome outcome;
    private final @Nullable RunStarted introduces;
    private final boolean last;
    private @Nullable List<Metric> points;
    private boolean found;

    private MetricBatch(
            MlflowRun run,
            int weight,
            Supplier<List<Metric>> maker,
            @Nullable DeliveryOutcome outcome,
            @Nullable RunStarted introduces,
            boolean last) {
        this.run = run;
        this.weight = Math.max(1, weight);
        this.maker = maker;
        this.outcome = outcome;
        this.introduces = introduces;
        this.last = last;
    }

    /** One that makes sure of the run, and tells that it is there. */
    static MetricBatch start(MlflowRun run, RunStarted start, DeliveryOutcome outcome) {
        return new MetricBatch(run, 1, List::of, outcome, start, false);
    }

    /** Points, with the outcome of the event where no other batch answers for it. */
    static MetricBatch points(MlflowRun run, List<Metric> points, @Nullable DeliveryOutcome outcome) {
        return new MetricBatch(run, points.size(), () -> points, outcome, null, false);
    }

    /** An episode's figures, at a step that is found when they are sent. */
    static MetricBatch episode(MlflowRun run, EpisodeFigures figures, @Nullable DeliveryOutcome outcome) {
        Supplier<List<Metric>> points = () -> figures.at(run.metricSteps().step(figures));
        return new MetricBatch(run, EpisodeFigures.KEYS.size() + figures.named().size(), points, outcome, null, false);
    }

    /** The job's figures, which go on from those that its run had before. */
    static MetricBatch figures(MlflowRun run, JobFigures.Told told) {
        int weight = told.parts().values().stream()
                .mapToInt(metrics -> metrics.byKey("").size())
                .sum();
        return new MetricBatch(run, weight, () -> run.points(told), null, null, false);
    }

    /** The same, with which its run ends. */
    MetricBatch asLast() {
        return new MetricBatch(run, weight, maker, outcome, introduces, true);
    }

    MlflowRun run() {
        return run;
    }

    /** Returns the number of its points, an estimate until they are made; at least 1. */
    int weight() {
        return points == null ? weight : Math.max(1, points.size());
    }

    /** Its points, which are made once: an episode's step is known only when it is sent. */
    List<Metric> points() {
        if (points == null) {
            points = maker.get();
        }
        return points;
    }

    /** Returns its points as batches of their own. */
    List<MetricBatch> split() {
        if (outcome != null) {
            outcome.split(points().size());
        }
        List<MetricBatch> parts = new ArrayList<>();
        points().forEach(point -> parts.add(new MetricBatch(
                run, 1, () -> List.of(point), outcome, null, last && parts.size() + 1 == points().size())));
        return parts;
    }

    /** Returns whether the run ends with it. */
    boolean last() {
        return last;
    }

    /** MLflow has its run: to be told once where this is the first for an episode. */
    void found(DeliveryListener listener, String mlflowRun) {
        if (introduces != null && !found) {
            found = true;
            listener.found(introduces, mlflowRun);
        }
    }

    /** Its points are taken, or lost; the outcome of an event that only introduces its run comes with the end. */
    void done(@Nullable Failure failure) {
        if (outcome != null && failure != null) {
            outcome.dropped(failure.reason());
        } else if (outcome != null && introduces == null) {
            outcome.delivered();
        }
    }
}
