package dev.rlm.runner.rescore;

import static java.util.Comparator.comparing;

import dev.rlm.cli.recorded.Agreement;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.PairedDifference;
import dev.rlm.sinks.schema.statistics.Sum;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Comparison of runs' scores with what is recorded. Some bytes a sample are kept. For one thread. */
final class Changes {
    private final double passReward;
    private final Map<SampleKey, Rewards> samples = new HashMap<>();
    private final Sum spread = new Sum();
    private Agreement agreement = Agreement.NONE; // of the scores with the recorded verdicts
    private long spreads;

    /**
     * A comparison without runs.
     *
     * @param passReward from which score on a run is solved
     */
    Changes(double passReward) {
        this.passReward = passReward;
    }

    /** Adds the score of a run. */
    void add(RunSummary run, double score, List<RewardComponent> components) {
        if (Double.isNaN(score)) {
            return;
        }
        Boolean solved = run.verdict().solved();
        if (solved != null) {
            agreement = agreement.with(score >= passReward, solved);
        }
        Double total = run.rewards().usable();
        if (total != null && Double.isFinite(score)) {
            Rewards rewards = samples.computeIfAbsent(SampleKey.of(run.row().run()), key -> new Rewards());
            rewards.runs++;
            rewards.scores += score;
            rewards.recorded += total;
        }
        for (RewardComponent component : components) {
            if (component.name().equals(Judge.SPREAD)) {
                spread.add(component.value());
                spreads++;
            }
        }
    }

    double passReward() {
        return passReward;
    }

    Agreement agreement() {
        return agreement;
    }

    /** Returns the mean standard deviation of several judgements of a run; NaN where there are none. */
    double spread() {
        return spread.value() / spreads;
    }

    /** Returns how far scores and recorded rewards lie apart, sample by sample. */
    PairedDifference difference() {
        List<Rewards> inOrder =
                samples.entrySet().stream() // that of threads is another each time, as the interval would be
                        .sorted(comparing(sample -> sample.getKey().toString()))
                        .map(Map.Entry::getValue)
                        .toList();
        return PairedDifference.of(
                inOrder.stream()
                        .mapToDouble(sample -> sample.scores / sample.runs)
                        .toArray(),
                inOrder.stream()
                        .mapToDouble(sample -> sample.recorded / sample.runs)
                        .toArray());
    }

    /** Sums over the runs of a sample. */
    private static final class Rewards {
        private int runs;
        private double scores;
        private double recorded;
    }
}
