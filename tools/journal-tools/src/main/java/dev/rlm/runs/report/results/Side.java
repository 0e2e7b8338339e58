package dev.rlm.runs.report.results;

import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.RowFigures;
import dev.rlm.runs.report.figures.Rows;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.runs.report.figures.SampleFigures;
import dev.rlm.sinks.schema.SampleKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs that are looked at together: all figures of them, of each row and of each sample. */
public final class Side implements RunCounter {
    private final Rows<RowFigures> rows;
    private final Map<SampleKey, SampleFigures> samples = new HashMap<>();

    /**
     * A side without runs.
     *
     * @param dimensions by which its runs are told apart
     */
    public Side(List<Dimension> dimensions) {
        this.rows = new Rows<>(dimensions, RowFigures::new);
    }

    @Override
    public void add(RunFacts run) {
        rows.add(run);
        if (run.sample().isKnown() && run.result().counts()) {
            samples.computeIfAbsent(run.sample(), SampleFigures::new).add(run);
        }
    }

    Rows<RowFigures> rows() {
        return rows;
    }

    RowFigures all() {
        return rows.all();
    }

    /** The samples with completed or failed runs. */
    Map<SampleKey, SampleFigures> samples() {
        return samples;
    }

    /** The samples that not all runs solved, the worst first. */
    List<SampleFigures> worst(int limit) {
        return samples.values().stream()
                .filter(sample -> sample.runs().solved() < sample.runs().decided())
                .sorted(SampleFigures.WORST_FIRST)
                .limit(limit)
                .toList();
    }
}
