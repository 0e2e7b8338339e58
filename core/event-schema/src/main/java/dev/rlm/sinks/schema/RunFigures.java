package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.statistics.Lengths;
import dev.rlm.sinks.schema.statistics.Sum;
import java.io.Serializable;
import java.util.EnumMap;

/** Figures of runs, which are added one by one. Rates, means and percentiles are over the completed and failed ones. */
public final class RunFigures implements Serializable {
    private static final long serialVersionUID = 1;

    private final EnumMap<Outcome, Long> ends = new EnumMap<>(Outcome.class);
    private final Sum totalReward = new Sum();
    private final Sum usableReward = new Sum();
    private final Lengths durations = new Lengths();
    private long runs;
    private long rewarded;
    private long solved;
    private long decided;
    private long undecided;
    private long unrewarded;
    private long unusable;
    private long steps;
    private long toolCalls;

    /** Returns the figures of these runs. */
    public static RunFigures of(Iterable<RunResult> runs) {
        RunFigures figures = new RunFigures();
        runs.forEach(figures::add);
        return figures;
    }

    public void add(RunResult run) {
        count(run, 1);
        if (run.counts() && run.duration() != null) {
            durations.add(run.duration());
        }
    }

    /** Takes back a run that was added without a duration. */
    public void remove(RunResult run) {
        count(run, -1);
    }

    /** Adds the runs of other figures. */
    public void merge(RunFigures other) {
        other.ends.forEach((outcome, count) -> ends.merge(outcome, count, Long::sum));
        totalReward.merge(other.totalReward);
        usableReward.merge(other.usableReward);
        durations.merge(other.durations);
        runs += other.runs;
        rewarded += other.rewarded;
        solved += other.solved;
        decided += other.decided;
        undecided += other.undecided;
        unrewarded += other.unrewarded;
        unusable += other.unusable;
        steps += other.steps;
        toolCalls += other.toolCalls;
    }

    private void count(RunResult run, int sign) {
        runs += sign;
        steps += (long) sign * run.steps();
        toolCalls += (long) sign * run.toolCalls();
        if (run.totalReward() != null) {
            totalReward.add(sign * run.totalReward());
            rewarded += sign;
        }
        if (run.outcome() != null) {
            ends.merge(run.outcome(), (long) sign, Long::sum);
        }
        if (run.counts()) {
            solved += run.isSolved() ? sign : 0;
            decided += run.isDecided() ? sign : 0;
            unrewarded += run.totalReward() == null ? sign : 0;
            undecided += !run.isDecided() && run.totalReward() != null ? sign : 0;
            unusable += run.rewardAbsent() ? sign : 0;
        }
        Double usable = run.usableReward();
        if (usable != null) {
            usableReward.add(sign * usable);
        }
    }

    public long runs() {
        return runs;
    }

    /** Returns the number of runs with that end. */
    public long ended(Outcome outcome) {
        return ends.getOrDefault(outcome, 0L);
    }

    /** Returns the number of runs without an end. */
    public long running() {
        return runs - ends.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the number of completed and failed runs. */
    public long counted() {
        return ended(Outcome.COMPLETED) + ended(Outcome.FAILED);
    }

    /** Returns the number of solved runs among the completed and failed ones. */
    public long solved() {
        return solved;
    }

    /**
     * Returns the number of completed and failed runs that have a reward and are in no rate all the same: it came after their end,
     * and the record does not tell from which one on they are solved.
     */
    public long undecided() {
        return undecided;
    }

    /** Returns the number of completed and failed runs that are in no mean, because they were given no reward. */
    public long unrewarded() {
        return unrewarded;
    }

    /** Returns the number of completed and failed runs that are in no mean, because one of their rewards is absent. */
    public long unusable() {
        return unusable;
    }

    /** Returns the number of completed and failed runs of which is known whether they are solved. */
    public long decided() {
        return decided;
    }

    /** Returns the share of the solved among the decided runs; NaN where there is none. */
    public double solvedRate() {
        return (double) solved / decided();
    }

    /** Returns the mean total reward of the runs with a usable one; NaN where there is none. */
    public double meanReward() {
        return usableReward.value() / (counted() - unusable - unrewarded);
    }

    /** Returns the sum of all total rewards, those that are in no mean included; NaN where no run has one. */
    public double totalReward() {
        return rewarded == 0 ? Double.NaN : totalReward.value();
    }

    /** Returns the number of steps of all runs. */
    public long steps() {
        return steps;
    }

    /** Returns the number of tool calls of all runs. */
    public long toolCalls() {
        return toolCalls;
    }

    /** Returns the durations of the completed and failed runs, as far as they are known. */
    public Lengths durations() {
        return durations;
    }
}
