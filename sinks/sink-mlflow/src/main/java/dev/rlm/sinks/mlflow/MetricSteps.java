package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.mlflow.rest.Metric;
import dev.rlm.sinks.mlflow.rest.MlflowRuns;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The steps at which a job's episodes stand: 1, 2, … in the order of their ends. An episode that stands there already, or a
 * part of it, keeps its step, so that sending it again adds nothing. One thread at a time.
 */
final class MetricSteps {
    private long highest;
    private final Map<Long, List<EpisodeStep>> byTime = new HashMap<>();

    /** Goes on after that step. */
    void startAfter(long step) {
        highest = Math.max(highest, step);
    }

    /** Takes over what the run has: every point of an episode's figures. */
    void read(MlflowRuns runs, String run) throws DeliveryException {
        Map<Long, List<EpisodeStep>> read = new HashMap<>();
        long last = 0;
        for (int figure = 0; figure < EpisodeFigures.KEYS.size(); figure++) {
            for (Metric point : runs.history(run, EpisodeFigures.KEYS.get(figure))) {
                note(point, figure, read);
                last = Math.max(last, point.step());
            }
        }
        byTime.putAll(read);
        startAfter(last);
    }

    private static void note(Metric point, int figure, Map<Long, List<EpisodeStep>> read) {
        List<EpisodeStep> then = read.computeIfAbsent(point.timestamp(), time -> new ArrayList<>(1));
        for (EpisodeStep episode : then) {
            if (episode.step() == point.step() && Double.isNaN(episode.figures().values()[figure])) {
                episode.figures().values()[figure] = point.value();
                return;
            }
        }
        EpisodeStep more = new EpisodeStep(point.step(), EpisodeFigures.unknown(point.timestamp()));
        more.figures().values()[figure] = point.value();
        then.add(more);
    }

    /** The episode's step. */
    long step(EpisodeFigures figures) {
        List<EpisodeStep> then = byTime.getOrDefault(figures.timestamp(), List.of());
        EpisodeStep best = null;
        int most = 0;
        for (EpisodeStep episode : then) {
            int common = episode.figures().within(figures);
            if (common > most) {
                most = common;
                best = episode;
            }
        }
        if (best == null) {
            return ++highest;
        }
        then.remove(best); // another episode that is just like it has another step
        return best.step();
    }

    /** The figures that the run has at a step. */
    @SuppressWarnings("ArrayRecordComponent")
    private record EpisodeStep(long step, EpisodeFigures figures) {}
}
