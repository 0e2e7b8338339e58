package dev.rlm.runs.report.figures;

import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.RunResult;
import dev.rlm.sinks.schema.SampleKey;
import java.util.Comparator;
import java.util.Objects;

/** The completed and failed runs of one sample. */
public final class SampleFigures {
    /** The worst first: by the share of the solved, the mean reward, and how many runs say so. */
    public static final Comparator<SampleFigures> WORST_FIRST = Comparator.comparingDouble(
                    (SampleFigures sample) -> sample.runs.solvedRate())
            .thenComparingDouble(sample -> sample.runs.meanReward())
            .thenComparing(Comparator.comparingLong((SampleFigures sample) -> sample.runs.decided())
                    .reversed())
            .thenComparing(SampleFigures::sample, NaturalOrder.SAMPLES);

    private final SampleKey sample;
    private final RunFigures runs = new RunFigures();
    private String worstRun = ""; // the unsolved one with the lowest reward; empty where all are solved
    private double worstReward = Double.POSITIVE_INFINITY;

    public SampleFigures(SampleKey sample) {
        this.sample = sample;
    }

    public void add(RunFacts run) {
        RunResult result = run.result();
        runs.add(result);
        double reward = Objects.requireNonNullElse(result.totalReward(), Double.POSITIVE_INFINITY);
        if (result.isDecided() && !result.isSolved() && (worstRun.isEmpty() || reward < worstReward)) {
            worstRun = run.summary().runId();
            worstReward = reward;
        }
    }

    public SampleKey sample() {
        return sample;
    }

    public RunFigures runs() {
        return runs;
    }

    public NamedFigures fields() {
        return names(sample)
                .put("runs", runs.decided())
                .put("solved", runs.solved())
                .put("mean_reward", runs.meanReward())
                .put("run_id", worstRun);
    }

    /** The names of a sample. */
    public static NamedFigures names(SampleKey sample) {
        return new NamedFigures()
                .put("environment", sample.environment())
                .name("split", sample.split())
                .put("sample", sample.sample());
    }
}
