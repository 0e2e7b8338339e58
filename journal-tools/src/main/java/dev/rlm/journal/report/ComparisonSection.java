package dev.rlm.journal.report;

import dev.rlm.sinks.schema.statistics.Bootstrap;
import java.util.List;
import java.util.Locale;

/** Two sides beside each other. */
final class ComparisonSection {
    private ComparisonSection() {}

    static void print(Report.Against against, Sheet sheet) {
        Comparison comparison = against.comparison();
        Grid grid = new Grid(
                        List.of("mean over samples"),
                        "this side",
                        "other side",
                        "difference",
                        "95 % interval",
                        "samples")
                .leaveOut("samples");
        row(grid, "reward", comparison.reward());
        row(grid, "solved rate", comparison.solved());
        sheet.line("this side: " + side(against.hereName()) + "; other side: " + side(against.thereName()) + ", "
                + against.there().all().runs().all() + " runs");
        sheet.grid(grid);
        sheet.line(String.format(
                Locale.ROOT,
                "difference: this side less the other, over the samples that both have; interval: percentile"
                        + " bootstrap over samples, %,d resamples",
                Bootstrap.RESAMPLES));
        verdicts(comparison.verdicts(), sheet);
        sheet.line("not compared: samples on this side only " + comparison.onlyHere() + ", on the other only "
                + comparison.onlyThere());
    }

    private static String side(String name) {
        return name.isEmpty() ? "the runs above" : name;
    }

    private static void row(Grid grid, String name, Comparison.Difference difference) {
        Bootstrap interval = difference.interval();
        grid.row(
                List.of(name),
                Numbers.of(difference.here()),
                Numbers.of(difference.there()),
                Double.isNaN(difference.value()) ? Numbers.NONE : Numbers.signed(difference.value()),
                Double.isNaN(interval.low())
                        ? Numbers.NONE
                        : Numbers.signed(interval.low()) + " to " + Numbers.signed(interval.high()),
                Numbers.of(difference.samples()));
    }

    private static void verdicts(Comparison.Verdicts verdicts, Sheet sheet) {
        if (Double.isNaN(verdicts.pValue())) {
            return;
        }
        sheet.line("samples solved on both sides " + verdicts.both() + ", on this side only " + verdicts.onlyHere()
                + ", on the other only " + verdicts.onlyThere() + ", on neither " + verdicts.neither()
                + (verdicts.ties() > 0 ? ", left out as ties " + verdicts.ties() : "")
                + " (by most of a sample's runs)");
        sheet.line("McNemar's exact test, two-sided: p = " + Numbers.p(verdicts.pValue()));
    }
}
