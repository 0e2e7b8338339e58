package dev.rlm.journal.report;

import dev.rlm.sinks.jsonl.Verdict;
import java.util.Comparator;

/** The completed and failed runs of one sample. */
final class SampleFigures {
    /** The worst first: by the share of the solved, the mean reward, and how many runs say so. */
    static final Comparator<SampleFigures> WORST_FIRST = Comparator.comparingDouble(SampleFigures::solvedShare)
            .thenComparingDouble(SampleFigures::meanReward)
            .thenComparing(Comparator.comparingLong(SampleFigures::decided).reversed())
            .thenComparing(SampleFigures::sample);

    private final SampleKey sample;
    private final PassRule rule;
    private long decided;
    private long solved;
    private long usable;
    private double sum;
    private String worstRun = "";
    private double worstReward = Double.POSITIVE_INFINITY;

    SampleFigures(SampleKey sample, PassRule rule) {
        this.sample = sample;
        this.rule = rule;
    }

    void add(RunFacts run) {
        Verdict verdict = run.verdict(rule);
        decided += verdict == Verdict.UNDECIDED ? 0 : 1;
        solved += verdict == Verdict.SOLVED ? 1 : 0;
        double reward = run.summary().totalReward();
        if (run.hasUsableReward()) {
            usable++;
            sum += reward;
        }
        if (verdict == Verdict.UNSOLVED && (worstRun.isEmpty() || reward < worstReward)) {
            worstRun = run.run().runId();
            worstReward = reward;
        }
    }

    SampleKey sample() {
        return sample;
    }

    /** Of how many runs is known whether they are solved. */
    long decided() {
        return decided;
    }

    long solved() {
        return solved;
    }

    /** NaN where nothing is known. */
    double solvedShare() {
        return (double) solved / decided;
    }

    /** Of the runs with a usable reward; NaN where there is none. */
    double meanReward() {
        return sum / usable;
    }

    /** The unsolved run with the lowest reward; empty where all are solved. */
    String worstRun() {
        return worstRun;
    }
}
