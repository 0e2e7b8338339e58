package dev.rlm.journal.report;

import java.util.HashSet;
import java.util.Set;

/** What the runs of a row came to, added a run at a time. Some bytes a run and call are kept, and no texts. */
final class RowFigures {
    private final RunCounts runs = new RunCounts();
    private final Set<SampleKey> samples = new HashSet<>();
    private final PassFigures passes;
    private final RewardFigures rewards = new RewardFigures();
    private final CostFigures costs = new CostFigures();

    RowFigures(PassRule rule) {
        passes = new PassFigures(rule);
    }

    void add(RunFacts run) {
        runs.add(run);
        if (run.sample().isKnown()) {
            samples.add(run.sample());
        }
        passes.add(run);
        rewards.add(run);
        costs.add(run);
    }

    RunCounts runs() {
        return runs;
    }

    /** How many samples the runs are of, as far as they tell. */
    int samples() {
        return samples.size();
    }

    PassFigures passes() {
        return passes;
    }

    RewardFigures rewards() {
        return rewards;
    }

    CostFigures costs() {
        return costs;
    }
}
