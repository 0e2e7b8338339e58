package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Points that one event gives to one of MLflow's runs. Made on the lane; sent by one thread at a time. */
final class Parcel {
    private final MlflowRun run;
    private final int weight;
    private final Supplier<List<Metric>> maker;
    private final @Nullable Fate fate;
    private final @Nullable RunStarted introduces;
    private final boolean last;
    private @Nullable List<Metric> points;
    private boolean found;

    private Parcel(
            MlflowRun run,
            int weight,
            Supplier<List<Metric>> maker,
            @Nullable Fate fate,
            @Nullable RunStarted introduces,
            boolean last) {
        this.run = run;
        this.weight = Math.max(1, weight);
        this.maker = maker;
        this.fate = fate;
        this.introduces = introduces;
        this.last = last;
    }

    /** One that makes sure of the run, and tells that it is there. */
    static Parcel start(MlflowRun run, RunStarted start, Fate fate) {
        return new Parcel(run, 1, List::of, fate, start, false);
    }

    /** Points, with the fate of the event where no other parcel answers for it. */
    static Parcel points(MlflowRun run, List<Metric> points, @Nullable Fate fate) {
        return new Parcel(run, points.size(), () -> points, fate, null, false);
    }

    /** An episode's figures, at a step that is found when they are sent. */
    static Parcel episode(MlflowRun run, EpisodeFigures figures, @Nullable Fate fate) {
        Supplier<List<Metric>> points = () -> figures.at(run.numbering().step(figures));
        return new Parcel(run, EpisodeFigures.KEYS.size() + figures.named().size(), points, fate, null, false);
    }

    /** The job's figures, which go on from those that its run had before. */
    static Parcel figures(MlflowRun run, JobFigures.Told told) {
        int weight = told.parts().values().stream()
                .mapToInt(metrics -> metrics.byKey("").size())
                .sum();
        return new Parcel(run, weight, () -> run.points(told), null, null, false);
    }

    /** The same, with which its run ends. */
    Parcel asLast() {
        return new Parcel(run, weight, maker, fate, introduces, true);
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

    /** Returns its points as parcels of their own. */
    List<Parcel> split() {
        if (fate != null) {
            fate.split(points().size());
        }
        List<Parcel> parts = new ArrayList<>();
        points().forEach(point -> parts.add(
                new Parcel(run, 1, () -> List.of(point), fate, null, last && parts.size() + 1 == points().size())));
        return parts;
    }

    /** Returns whether the run ends with it. */
    boolean last() {
        return last;
    }

    /** MLflow has its run: to be told once where this is the first for an episode. */
    void found(Verdicts verdicts, String mlflowRun) {
        if (introduces != null && !found) {
            found = true;
            verdicts.found(introduces, mlflowRun);
        }
    }

    /** Its points are taken, or lost; the fate of an event that only introduces its run comes with the end. */
    void done(@Nullable Failure failure) {
        if (fate != null && failure != null) {
            fate.dropped(failure.reason());
        } else if (fate != null && introduces == null) {
            fate.delivered();
        }
    }
}
