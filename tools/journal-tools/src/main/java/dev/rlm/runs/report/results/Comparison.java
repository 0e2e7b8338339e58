package dev.rlm.runs.report.results;

import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.figures.SampleFigures;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.Bootstrap;
import dev.rlm.sinks.schema.statistics.McNemar;
import dev.rlm.sinks.schema.statistics.PairedDifference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Two sides, sample by sample. Only samples that both have are compared.
 *
 * @param onlyHere how many samples this side alone has
 * @param onlyThere how many the other alone has
 * @param reward the samples' mean rewards
 * @param solved the samples' shares of solved runs
 * @param verdicts whether most runs of a sample are solved
 * @param pairs the samples that both sides have
 */
public record Comparison(
        long onlyHere,
        long onlyThere,
        PairedDifference reward,
        PairedDifference solved,
        PairCounts verdicts,
        List<Pair> pairs) {
    private static final int MOST_PAIRS = 1_000; // that are told
    private static final int FEW = 10;

    public Comparison {
        pairs = List.copyOf(pairs);
    }

    public static Comparison of(Side here, Side there) {
        List<Pair> pairs = new ArrayList<>();
        List<SampleFigures> all = here.samples().values().stream()
                .sorted(Comparator.comparing(SampleFigures::sample, NaturalOrder.SAMPLES))
                .toList();
        for (SampleFigures own : all) {
            SampleFigures other = there.samples().get(own.sample());
            if (other != null) {
                pairs.add(new Pair(own.sample(), own.runs(), other.runs()));
            }
        }
        return new Comparison(
                here.samples().size() - pairs.size(),
                there.samples().size() - pairs.size(),
                difference(pairs, RunFigures::meanReward),
                difference(pairs, RunFigures::solvedRate),
                PairCounts.of(pairs),
                pairs);
    }

    private static PairedDifference difference(List<Pair> pairs, ToDoubleFunction<RunFigures> figure) {
        return PairedDifference.of(
                pairs.stream()
                        .mapToDouble(pair -> figure.applyAsDouble(pair.here()))
                        .toArray(),
                pairs.stream()
                        .mapToDouble(pair -> figure.applyAsDouble(pair.there()))
                        .toArray());
    }

    /** Returns whether reward or share of solved runs has an interval: two samples at least have it on both sides. */
    boolean isCompared() {
        return Math.max(reward.samples(), solved.samples()) > 1;
    }

    /** Returns whether the interval is too narrow: a percentile bootstrap of fewer than ten samples is. */
    public static boolean isOfFew(PairedDifference difference) {
        return difference.samples() < FEW;
    }

    /** Returns whether this side's mean is below the other's by the whole of the interval. */
    public static boolean isWorse(PairedDifference difference) {
        return difference.interval().high() < 0;
    }

    NamedFigures fields() {
        return new NamedFigures()
                .put("samples_this_side_only", onlyHere)
                .put("samples_other_side_only", onlyThere)
                .put("reward", ComparisonSection.fields(reward))
                .put("solved_rate", ComparisonSection.fields(solved))
                .put("resamples", Bootstrap.RESAMPLES)
                .put("level", Bootstrap.LEVEL)
                .put("mcnemar", verdicts.fields())
                .put(
                        "samples",
                        pairs.stream()
                                .sorted(Comparator.comparingDouble((Pair pair) -> -Math.abs(pair.difference()))
                                        .thenComparing(Pair::sample, NaturalOrder.SAMPLES))
                                .limit(MOST_PAIRS)
                                .map(Pair::fields));
    }

    /** A sample that both sides have. */
    record Pair(SampleKey sample, RunFigures here, RunFigures there) {
        /** Returns how much more mean reward it has on this side; 0 where a side has none. */
        double difference() {
            double difference = here.meanReward() - there.meanReward();
            return Double.isNaN(difference) ? 0 : difference;
        }

        NamedFigures fields() {
            return SampleFigures.names(sample)
                    .put("this_side", side(here))
                    .put("other_side", side(there))
                    .put("difference", here.meanReward() - there.meanReward());
        }

        private static NamedFigures side(RunFigures runs) {
            return new NamedFigures()
                    .put("runs", runs.decided())
                    .put("mean_reward", runs.meanReward())
                    .put("solved_rate", runs.solvedRate());
        }
    }

    /**
     * Each sample is solved on a side where more than half of its runs there are; a sample with as many solved as unsolved
     * runs on a side is neither, and left out.
     *
     * @param ties how many are left out
     */
    record PairCounts(long both, long onlyHere, long onlyThere, long neither, long ties) {
        private static PairCounts of(List<Pair> pairs) {
            long[] counts = new long[4];
            long ties = 0;
            for (Pair pair : pairs) {
                double here = pair.here().solvedRate();
                double there = pair.there().solvedRate();
                if (here == 0.5 || there == 0.5) {
                    ties++;
                } else if (!Double.isNaN(here) && !Double.isNaN(there)) {
                    counts[(here > 0.5 ? 0 : 2) + (there > 0.5 ? 0 : 1)]++;
                }
            }
            return new PairCounts(counts[0], counts[1], counts[2], counts[3], ties);
        }

        NamedFigures fields() {
            return new NamedFigures()
                    .put("both", both)
                    .put("this_side_only", onlyHere)
                    .put("other_side_only", onlyThere)
                    .put("neither", neither)
                    .put("ties", ties)
                    .put("p_value", pValue());
        }

        /** Of McNemar's exact test; NaN where no sample is compared. */
        double pValue() {
            return both + onlyHere + onlyThere + neither == 0 ? Double.NaN : McNemar.pValue(onlyHere, onlyThere);
        }
    }
}
