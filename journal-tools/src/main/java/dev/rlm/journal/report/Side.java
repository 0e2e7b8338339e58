package dev.rlm.journal.report;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Runs that are looked at together: all figures of them, and those of each row. */
final class Side implements RunCounter {
    private static final Set<Class<? extends RunEvent>> KINDS =
            Set.of(RewardGiven.class, ToolCalled.class, ModelCalled.class);

    private final List<Dimension> dimensions;
    private final PassRule rule;
    private final RowFigures all;
    private final SortedMap<RowKey, RowFigures> rows = new TreeMap<>();
    private final Map<SampleKey, SampleFigures> samples = new HashMap<>();
    private long withoutSample;

    /**
     * A side without runs.
     *
     * @param dimensions by which its runs are told apart
     */
    Side(List<Dimension> dimensions, PassRule rule) {
        this.dimensions = List.copyOf(dimensions);
        this.rule = rule;
        this.all = new RowFigures(rule);
    }

    @Override
    public void add(RunFacts run) {
        all.add(run);
        if (!dimensions.isEmpty()) {
            rows.computeIfAbsent(RowKey.of(run.summary(), dimensions), key -> new RowFigures(rule))
                    .add(run);
        }
        if (!run.sample().isKnown()) {
            withoutSample++;
        } else if (run.counts()) {
            samples.computeIfAbsent(run.sample(), key -> new SampleFigures(key, rule))
                    .add(run);
        }
    }

    @Override
    public Set<Class<? extends RunEvent>> kinds() {
        return KINDS;
    }

    List<Dimension> dimensions() {
        return dimensions;
    }

    RowFigures all() {
        return all;
    }

    /** In order; empty where nothing tells the runs apart. */
    SortedMap<RowKey, RowFigures> rows() {
        return rows;
    }

    /** The samples with completed or failed runs. */
    Map<SampleKey, SampleFigures> samples() {
        return samples;
    }

    /** How many runs do not tell their sample. */
    long withoutSample() {
        return withoutSample;
    }

    /** The samples that not all runs solved, the worst first. */
    List<SampleFigures> worst(int limit) {
        return samples.values().stream()
                .filter(sample -> sample.solved() < sample.decided())
                .sorted(SampleFigures.WORST_FIRST)
                .limit(limit)
                .toList();
    }
}
