package dev.rlm.runs;

import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.journal.RunSummary;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say in which order rows come, and how many of them. */
final class SortOption {
    /** Orders of runs. */
    static final SortOrder<RunSummary> RUNS = new SortOrder<RunSummary>()
            .by("started", run -> run.startedAt())
            .by("duration", RunSummary::duration)
            .by("reward", run -> run.rewards().usable())
            .by("steps", RunSummary::steps)
            .byName("environment", run -> run.row().run().environment())
            .byName("model", run -> run.row().run().model())
            .byName("sample", run -> run.row().run().correlation().sample())
            .by("state", run -> run.state().label());

    @Option(
            names = "--sort",
            paramLabel = "KEY",
            completionCandidates = Keys.class,
            description =
                    "By started, duration, reward, steps, environment, model, sample or state; -KEY for the largest"
                            + " first. Runs without a value come last. With --limit the first N: --sort=-reward"
                            + " --limit=20 shows the best 20. With --by=sample also by runs and solved-rate, and not by"
                            + " duration and state.")
    private @Nullable String order;

    @Mixin
    private final LimitOption limit = new LimitOption();

    /** Returns the rows to show: in the order that is asked for the first ones, else the latest. */
    <T> List<T> apply(List<T> rows, SortOrder<T> orders) {
        return order == null ? limit.latest(rows) : limit.first(orders.sorted(rows, order));
    }

    /** The keys of runs and of groups, for completion. */
    static final class Keys implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(RUNS.names().stream(), SampleGroup.ORDERS.names().stream())
                    .distinct()
                    .iterator();
        }
    }
}
