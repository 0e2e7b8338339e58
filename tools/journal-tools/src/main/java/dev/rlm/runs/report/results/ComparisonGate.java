package dev.rlm.runs.report.results;

import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.Numbers;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.runs.NaturalOrder;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.Bootstrap;
import dev.rlm.sinks.schema.statistics.PairedDifference;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Gate that fails where this side of a comparison is worse than the other by the whole of an interval.
 *
 * @param here this side
 */
record ComparisonGate(Side here, Report.Against against) {
    private static final String RULE = "--fail-on=worse: ";

    /**
     * Returns what is worse and by how much; empty where nothing is.
     *
     * @throws UsageException if nothing has an interval, and so nothing was compared
     */
    Optional<String> failure() {
        Comparison comparison = against.comparison();
        if (!comparison.isCompared()) {
            throw new UsageException(RULE + "nothing was compared: " + counts(against.hereName(), "this side", here)
                    + ", " + counts(against.thereName(), "the other", against.there()) + ": " + help());
        }
        String worse = Stream.of(worse("reward", comparison.reward()), worse("solved rate", comparison.solved()))
                .flatMap(Optional::stream)
                .collect(Collectors.joining("; "));
        return worse.isEmpty()
                ? Optional.empty()
                : Optional.of(RULE + name(against.hereName(), "this side") + " is worse than "
                        + name(against.thereName(), "the other") + ": " + worse);
    }

    private static Optional<String> worse(String figure, PairedDifference difference) {
        Bootstrap interval = difference.interval();
        return Comparison.isWorse(difference)
                ? Optional.of(figure + " " + Numbers.rounded(difference.here()) + " against "
                        + Numbers.rounded(difference.there()) + ", difference " + Numbers.rounded(difference.value())
                        + " (95 % interval " + Numbers.rounded(interval.low()) + " to "
                        + Numbers.rounded(interval.high()) + ", " + difference.samples() + " samples"
                        + (Comparison.isOfFew(difference) ? ", so few that it is too narrow)" : ")"))
                : Optional.empty();
    }

    private static String name(String name, String unnamed) {
        return name.isEmpty() ? unnamed : name;
    }

    private static String counts(String name, String which, Side side) {
        return which + (name.isEmpty() ? "" : " (" + name + ")") + " has "
                + Counted.of(side.all().runs().runs(), "run", "runs") + " of "
                + Counted.of(side.samples().size(), "sample", "samples");
    }

    private String help() {
        Comparison comparison = against.comparison();
        if (here.all().runs().runs() == 0 || against.there().all().runs().runs() == 0) {
            return "choose runs that there are, which rlm list shows";
        } else if (here.samples().isEmpty() || against.there().samples().isEmpty()) {
            return "runs are paired by their sample, so completed or failed runs of both sides have to tell one";
        } else if (comparison.pairs().isEmpty()) {
            return "none of the samples is on both sides; the same sample has the same environment, split and id, as "
                    + text(first(here)) + " here and " + text(first(against.there())) + " there have not";
        }
        return Counted.of(comparison.pairs().size(), "sample is", "samples are")
                + " on both sides, and an interval takes two that have a reward or a verdict on both";
    }

    private static SampleKey first(Side side) {
        return side.samples().keySet().stream().min(NaturalOrder.SAMPLES).orElseThrow();
    }

    private static String text(SampleKey sample) {
        return Stream.of(sample.environment(), sample.split(), sample.sample())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("/"));
    }
}
