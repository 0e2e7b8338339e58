package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.mlflow.rest.Metric;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one event gives to be sent to one of MLflow's runs.
 *
 * @param weight how many points it has, and 1 at least
 * @param points made when they are sent: an episode's step is known only then
 * @param fate of the event; {@code null} where another parcel, or none, answers for it
 * @param introduces whose run this is the first parcel for; {@code null} for others
 * @param refused why some of the event is not even tried; {@code null} where all is
 * @param last whether the run ends with it
 */
record Parcel(
        MlflowRun run,
        int weight,
        Supplier<List<Metric>> points,
        @Nullable Fate fate,
        @Nullable RunStarted introduces,
        @Nullable String refused,
        boolean last) {
    /** One that makes sure of the run, and tells that it is there. */
    static Parcel start(MlflowRun run, RunStarted start, Fate fate) {
        return new Parcel(run, 1, List::of, fate, start, null, false);
    }

    /** Points, with all that is said of the event. */
    static Parcel points(MlflowRun run, List<Metric> points, @Nullable Fate fate, @Nullable String refused) {
        return new Parcel(run, Math.max(1, points.size()), () -> points, fate, null, refused, false);
    }

    /** An episode's figures, at a step that is found when they are sent. */
    static Parcel episode(MlflowRun run, EpisodeFigures figures, @Nullable Fate fate) {
        Supplier<List<Metric>> points = () -> figures.at(run.numbering().step(figures));
        return new Parcel(run, EpisodeFigures.KEYS.size(), points, fate, null, null, false);
    }

    /** The job's figures, which go on from those that its run had before. */
    static Parcel figures(MlflowRun run, JobFigures.Told told) {
        int weight = told.parts().values().stream()
                .mapToInt(metrics -> metrics.byKey("").size())
                .sum();
        return new Parcel(run, weight, () -> run.points(told), null, null, null, false);
    }

    /** The same, with which its run ends. */
    Parcel asLast() {
        return new Parcel(run, weight, points, fate, introduces, refused, true);
    }

    /** It will not be sent. */
    void giveUp(String reason) {
        if (fate != null) {
            fate.dropped(reason);
        }
    }
}
