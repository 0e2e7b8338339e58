package dev.rlm.runs.report.curves;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.results.Comparison;
import dev.rlm.runs.report.results.ComparisonSection;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.ClusteredMean;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.PairedDifference;
import java.util.Map;

/**
 * A version of a policy, as it was evaluated.
 *
 * @param samples the attempts at each sample
 * @param best whether it is the best of all
 * @param toBest its difference to the best over the samples of both; of no samples unless it is later than that
 */
record Checkpoint(
        String split,
        String model,
        String version,
        Map<SampleKey, Group> samples,
        boolean best,
        PairedDifference toBest) {
    /** Of versions that are not compared. */
    static final PairedDifference NO_DIFFERENCE = PairedDifference.of(new double[0], new double[0]);

    /** Returns mean@k: the mean over the samples of the mean reward of each one's attempts. */
    static Estimate mean(Map<SampleKey, Group> samples) {
        ClusteredMean<SampleKey> mean = new ClusteredMean<>();
        samples.forEach((sample, attempts) -> mean.add(sample, attempts.mean()));
        return mean.estimate();
    }

    /** Returns the difference of a version to the best. */
    static PairedDifference difference(Map<SampleKey, Group> version, Map<SampleKey, Group> best) {
        double[] here = best.keySet().stream()
                .mapToDouble(sample -> version.getOrDefault(sample, new Group()).mean())
                .toArray();
        double[] there = best.values().stream().mapToDouble(Group::mean).toArray();
        return PairedDifference.of(here, there);
    }

    /** Returns whether it is the best, or later than that. */
    boolean isFromBestOn() {
        return best || toBest.samples() > 0;
    }

    private boolean isSurelyWorse() {
        return Comparison.isWorse(toBest) && !Comparison.isOfFew(toBest);
    }

    private String verdict() {
        if (best) {
            return "best";
        }
        return isSurelyWorse() ? "surely worse" : toBest.samples() == 0 ? Numbers.NONE : "not surely worse";
    }

    NamedFigures fields() {
        long runs = samples.values().stream().mapToLong(Group::rewards).sum();
        double attempts = (double) runs / samples.size();
        return new NamedFigures()
                .put("split", split)
                .name("model", model)
                .put("policy_version", version)
                .put("runs", runs)
                .put("samples", samples.size())
                .put("k", attempts, Numbers.rounded(attempts))
                .estimate("mean_at_k", mean(samples))
                .put("best", best)
                .putAll(ComparisonSection.interval(toBest))
                .put("compared_samples", toBest.samples())
                .put("surely_worse", isSurelyWorse(), verdict());
    }
}
