package dev.rlm.journal.report;

import dev.rlm.journal.NaturalOrder;
import dev.rlm.sinks.schema.RunFigures;
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
 */
record Comparison(long onlyHere, long onlyThere, PairedDifference reward, PairedDifference solved, Verdicts verdicts) {
    static Comparison of(Side here, Side there) {
        List<Pair> pairs = new ArrayList<>();
        List<SampleFigures> all = here.samples().values().stream()
                .sorted(Comparator.comparing(SampleFigures::sample, NaturalOrder.SAMPLES))
                .toList();
        for (SampleFigures own : all) {
            SampleFigures other = there.samples().get(own.sample());
            if (other != null) {
                pairs.add(new Pair(own.runs(), other.runs()));
            }
        }
        return new Comparison(
                here.samples().size() - pairs.size(),
                there.samples().size() - pairs.size(),
                difference(pairs, RunFigures::meanReward),
                difference(pairs, RunFigures::solvedRate),
                Verdicts.of(pairs));
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

    Fields fields() {
        return new Fields()
                .put("samples_this_side_only", onlyHere)
                .put("samples_other_side_only", onlyThere)
                .put("reward", ComparisonSection.fields(reward))
                .put("solved_rate", ComparisonSection.fields(solved))
                .put("resamples", Bootstrap.RESAMPLES)
                .put("level", Bootstrap.LEVEL)
                .put("mcnemar", verdicts.fields());
    }

    private record Pair(RunFigures here, RunFigures there) {}

    /**
     * Each sample is solved on a side where more than half of its runs there are; a sample with as many solved as unsolved
     * runs on a side is neither, and left out.
     *
     * @param ties how many are left out
     */
    record Verdicts(long both, long onlyHere, long onlyThere, long neither, long ties) {
        private static Verdicts of(List<Pair> pairs) {
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
            return new Verdicts(counts[0], counts[1], counts[2], counts[3], ties);
        }

        Fields fields() {
            return new Fields()
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
