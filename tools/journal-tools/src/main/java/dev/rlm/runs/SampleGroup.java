package dev.rlm.runs;

import dev.rlm.cli.recorded.RunResults;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.SampleKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs of one sample.
 *
 * @param runs in the order of their starts
 * @param figures of these runs
 */
record SampleGroup(SampleKey sample, List<RunSummary> runs, RunFigures figures) {
    /** Orders of groups. */
    static final SortOrder<SampleGroup> ORDERS = new SortOrder<SampleGroup>()
            .byName("sample", group -> group.sample().sample())
            .byName("environment", group -> group.sample().environment())
            .byName("model", SampleGroup::models)
            .by("started", group -> group.runs().get(0).run().startedAt())
            .by("runs", group -> group.runs().size())
            .by("solved-rate", group -> known(group.figures().solvedRate()))
            .by("reward", group -> known(group.figures().meanReward()))
            .by("steps", SampleGroup::meanSteps);

    /** Returns the groups of runs that have a sample, in the order in which their first runs started. */
    static List<SampleGroup> of(List<RunSummary> runs) {
        Map<SampleKey, List<RunSummary>> groups = new LinkedHashMap<>();
        for (RunSummary run : runs) {
            SampleKey sample = SampleKey.of(run.row().run());
            if (sample.isKnown()) {
                groups.computeIfAbsent(sample, first -> new ArrayList<>()).add(run);
            }
        }
        return groups.entrySet().stream()
                .map(group -> new SampleGroup(group.getKey(), group.getValue(), figures(group.getValue())))
                .toList();
    }

    private static RunFigures figures(List<RunSummary> runs) {
        return RunFigures.of(
                runs.stream().map(run -> RunResults.of(run, run.verdict())).toList());
    }

    /** Returns the models that acted. */
    String models() {
        return runs.stream()
                .map(run -> run.row().run().model())
                .filter(model -> !model.isEmpty())
                .distinct()
                .sorted(NaturalOrder.INSTANCE)
                .collect(Collectors.joining(", "));
    }

    /** Returns the mean number of steps of all its runs, those that go on included. */
    double meanSteps() {
        return (double) figures.steps() / figures.runs();
    }

    /** Returns the figure; {@code null} where there is none. */
    static @Nullable Double known(double figure) {
        return Double.isNaN(figure) ? null : (Double) figure;
    }
}
