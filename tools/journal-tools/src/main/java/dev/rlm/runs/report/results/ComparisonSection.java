package dev.rlm.runs.report.results;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import dev.rlm.sinks.schema.statistics.Bootstrap;
import dev.rlm.sinks.schema.statistics.PairedDifference;
import java.util.Locale;
import java.util.stream.Stream;

/** Two sides beside each other. */
public final class ComparisonSection {
    private ComparisonSection() {}

    static void print(Report.Against against, Sheet sheet) {
        Comparison comparison = against.comparison();
        Grid grid = new Grid(
                        Stream.of("mean over samples"),
                        "this_side",
                        "other_side",
                        "difference",
                        "95 % interval=low",
                        "samples")
                .leaveOut("samples");
        grid.row(row("reward", comparison.reward()));
        grid.row(row("solved rate", comparison.solved()));
        sheet.line("this side: " + side(against.hereName()) + "; other side: " + side(against.thereName()) + ", "
                + Counted.of(against.there().all().runs().runs(), "run"));
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

    private static NamedFigures row(String name, PairedDifference difference) {
        return fields(difference).put("mean over samples", name);
    }

    static NamedFigures fields(PairedDifference difference) {
        return new NamedFigures()
                .put("this_side", difference.here())
                .put("other_side", difference.there())
                .putAll(interval(difference))
                .put("samples", difference.samples());
    }

    /** The difference and its interval. */
    public static NamedFigures interval(PairedDifference difference) {
        Bootstrap interval = difference.interval();
        return new NamedFigures()
                .put("difference", difference.value(), Numbers.signed(difference.value()))
                .put("low", interval.low(), text(interval))
                .put("high", interval.high());
    }

    private static String text(Bootstrap interval) {
        return Double.isNaN(interval.low())
                ? Numbers.NONE
                : Numbers.signed(interval.low()) + " to " + Numbers.signed(interval.high());
    }

    private static void verdicts(Comparison.PairCounts verdicts, Sheet sheet) {
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
