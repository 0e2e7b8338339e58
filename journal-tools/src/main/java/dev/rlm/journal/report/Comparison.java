package dev.rlm.journal.report;

import dev.rlm.journal.NaturalOrder;
import dev.rlm.sinks.schema.RunFigures;
import dev.rlm.sinks.schema.statistics.Bootstrap;
import dev.rlm.sinks.schema.statistics.McNemar;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * Two sides, sample by sample. Only samples that both have are compared.
 *
 * @param onlyHere how many samples this side alone has
 * @param onlyThere how many the other alone has
 * @param reward the samples' mean rewards
 * @param solved the samples' shares of solved runs
 * @param verdicts whether most runs of a sample are solved
 */
record Comparison(long onlyHere, long onlyThere, Difference reward, Difference solved, Verdicts verdicts) {
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
                Difference.of(pairs, RunFigures::meanReward),
                Difference.of(pairs, RunFigures::solvedRate),
                Verdicts.of(pairs));
    }

    Fields fields() {
        return new Fields()
                .put("samples_this_side_only", onlyHere)
                .put("samples_other_side_only", onlyThere)
                .put("reward", reward.fields())
                .put("solved_rate", solved.fields())
                .put("resamples", Bootstrap.RESAMPLES)
                .put("level", Bootstrap.LEVEL)
                .put("mcnemar", verdicts.fields());
    }

    private record Pair(RunFigures here, RunFigures there) {}

    /**
     * How far apart the sides are: here less there.
     *
     * @param samples how many are compared: those for which both sides have a value
     * @param here the mean of this side over these samples
     * @param there that of the other side
     * @param value the mean difference
     * @param interval that surrounds it
     */
    record Difference(int samples, double here, double there, double value, Bootstrap interval) {
        private static Difference of(List<Pair> pairs, ToDoubleFunction<RunFigures> figure) {
            List<Pair> known = pairs.stream()
                    .filter(pair -> !Double.isNaN(figure.applyAsDouble(pair.here()))
                            && !Double.isNaN(figure.applyAsDouble(pair.there())))
                    .toList();
            double[] here = known.stream()
                    .mapToDouble(pair -> figure.applyAsDouble(pair.here()))
                    .toArray();
            double[] there = known.stream()
                    .mapToDouble(pair -> figure.applyAsDouble(pair.there()))
                    .toArray();
            double[] differences = new double[here.length];
            for (int i = 0; i < here.length; i++) {
                differences[i] = here[i] - there[i];
            }
            return new Difference(here.length, mean(here), mean(there), mean(differences), Bootstrap.of(differences));
        }

        Fields fields() {
            return new Fields()
                    .put("this_side", here)
                    .put("other_side", there)
                    .put("difference", value, Numbers.signed(value))
                    .put("low", interval.low(), text(interval))
                    .put("high", interval.high())
                    .put("samples", samples);
        }

        private static String text(Bootstrap interval) {
            return Double.isNaN(interval.low())
                    ? Numbers.NONE
                    : Numbers.signed(interval.low()) + " to " + Numbers.signed(interval.high());
        }

        private static double mean(double[] values) {
            return DoubleStream.of(values).average().orElse(Double.NaN);
        }
    }

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
