package dev.rlm.runner.report;

import dev.rlm.runner.report.statistics.Estimate;
import dev.rlm.sinks.jsonl.RunState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Writes the report for people, in the order in which they ask. Sections with nothing to say are left out. */
final class ReportText {
    private static final String ALL = "all";

    private final Report report;
    private final int worst;
    private final String program;
    private final String options;
    private final List<String> keys;

    /**
     * The report, to be written.
     *
     * @param worst how many of the worst samples to show
     * @param program how the user calls the program
     * @param options what the user would have to say again to look at the same journal
     */
    ReportText(Report report, int worst, String program, String options) {
        this.report = report;
        this.worst = worst;
        this.program = program;
        this.options = options;
        this.keys = report.here().dimensions().stream().map(Dimension::title).toList();
    }

    void print(Sheet sheet) {
        Report.Source source = report.source();
        sheet.line((source.chosen() - source.superseded()) + " of " + source.runs() + " runs in " + source.journal());
        if (source.chosen() == 0) {
            Notes.damage(report).forEach(sheet::line);
        } else {
            ran(sheet);
            good(sheet);
            sure(sheet);
            new FailureSection(report, worst, program, options).print(sheet);
            cost(sheet);
        }
    }

    /** Calls for each row, and at last for all together where there is more than one. */
    private void rows(BiConsumer<List<String>, RowFigures> consumer) {
        Map<RowKey, RowFigures> rows = report.here().rows();
        rows.forEach((key, row) -> consumer.accept(key.values(), row));
        if (rows.size() != 1) {
            Map<Integer, String> names = new LinkedHashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                names.put(i, i == 0 ? ALL : "");
            }
            consumer.accept(List.copyOf(names.values()), report.here().all());
        }
    }

    private void ran(Sheet sheet) {
        Grid grid = new Grid(
                keys, "runs", "completed", "failed", "aborted", "abandoned", "running", "samples", "steps", "per run");
        rows((key, row) -> grid.row(
                key,
                Numbers.of(row.runs().all()),
                Numbers.of(row.runs().in(RunState.COMPLETED)),
                Numbers.of(row.runs().in(RunState.FAILED)),
                Numbers.of(row.runs().in(RunState.ABORTED)),
                Numbers.of(row.runs().abandoned()),
                Numbers.of(row.runs().in(RunState.RUNNING)),
                Numbers.of(row.samples()),
                Numbers.of(row.costs().steps()),
                Numbers.of((double) row.costs().steps() / row.runs().all())));
        sheet.heading("What ran");
        sheet.grid(grid);
        Notes.runs(report).forEach(sheet::line);
    }

    private void good(Sheet sheet) {
        Grid grid = new Grid(
                keys, "solved", "of runs", "solved rate", "mean reward", "of runs ", "min", "max", "absent rewards");
        rows((key, row) -> grid.row(
                key,
                Numbers.of(row.passes().solved()),
                Numbers.of(row.passes().rate().count()),
                Numbers.of(row.passes().rate()),
                Numbers.of(row.rewards().mean()),
                Numbers.of(row.rewards().mean().count()),
                Numbers.of(row.rewards().min()),
                Numbers.of(row.rewards().max()),
                Numbers.of(row.rewards().absent())));
        sheet.heading("How good");
        sheet.grid(grid);
        Notes.quality(report).forEach(sheet::line);
        passes(sheet);
        components(sheet);
    }

    private void passes(Sheet sheet) {
        Grid grid = new Grid(keys, "k", "pass@k", "pass^k", "groups", "of samples");
        rows((key, row) -> report.ks().forEach(k -> pass(grid, key, row, k)));
        sheet.heading("Attempts");
        sheet.grid(grid);
        sheet.line("pass@k: at least one of k attempts is solved; pass^k: all are;"
                + " over groups (the runs of a sample by the same policy) of at least k runs");
        long largest = report.here().all().passes().largestGroup();
        report.ks().stream()
                .filter(k -> k > largest)
                .forEach(k -> sheet.line("k=" + k + ": no group has so many runs; the largest has " + largest));
    }

    private static void pass(Grid grid, List<String> key, RowFigures row, int k) {
        Estimate any = row.passes().anyOf(k);
        grid.row(
                key,
                Numbers.of(k),
                Numbers.of(any),
                Numbers.of(row.passes().allOf(k)),
                Numbers.of(any.count()),
                Numbers.of(any.clusters()));
    }

    private void components(Sheet sheet) {
        List<String> names =
                Stream.concat(keys.stream(), Stream.of("component", "unit")).toList();
        Grid grid = new Grid(names, "given", "mean", "weight", "not finite");
        rows((key, row) -> row.rewards()
                .components()
                .forEach((component, figures) -> grid.row(
                        Stream.concat(
                                        key.stream(),
                                        Stream.of(component.name(), component.unit() == null ? "" : component.unit()))
                                .toList(),
                        Numbers.of(figures.count()),
                        Numbers.of(figures.mean()),
                        figures.minWeight() == figures.maxWeight()
                                ? Numbers.of(figures.minWeight())
                                : Numbers.of(figures.minWeight()) + ".." + Numbers.of(figures.maxWeight()),
                        figures.notFinite() == 0 ? Numbers.NONE : Numbers.of(figures.notFinite()))));
        if (!grid.isEmpty()) {
            sheet.heading("Reward components");
            sheet.grid(grid);
        }
    }

    private void sure(Sheet sheet) {
        long compared = report.here().all().passes().comparableGroups();
        if (report.against() == null && compared == 0) {
            return;
        }
        sheet.heading("How sure");
        if (report.against() != null) {
            ComparisonSection.print(report.against(), sheet);
        }
        if (compared > 0) {
            SignalSection.print(report.here().all().passes(), sheet);
        }
    }

    private void cost(Sheet sheet) {
        Grid grid = new Grid(
                keys,
                "duration p50",
                "p95",
                "model calls",
                "failed",
                "p50",
                "p95 ",
                "tokens in",
                "cached",
                "out",
                "reasoning",
                "tool calls",
                "failed ");
        rows((key, row) -> cost(grid, key, row.costs()));
        sheet.heading("What it cost");
        sheet.grid(grid);
        tokens(sheet);
    }

    private static void cost(Grid grid, List<String> key, CostFigures costs) {
        grid.row(
                key,
                Numbers.of(costs.durations().percentile(50)),
                Numbers.of(costs.durations().percentile(95)),
                Numbers.of(costs.models().calls()),
                Numbers.of(costs.models().failed()),
                Numbers.of(costs.models().latencies().percentile(50)),
                Numbers.of(costs.models().latencies().percentile(95)),
                Numbers.of(costs.input().sum()),
                Numbers.of(costs.cached().sum()),
                Numbers.of(costs.output().sum()),
                Numbers.of(costs.reasoning().sum()),
                Numbers.of(costs.tools().calls()),
                Numbers.of(costs.tools().failed()));
    }

    private void tokens(Sheet sheet) {
        CostFigures costs = report.here().all().costs();
        sheet.line("durations are of completed and failed runs, all else of all runs; p50 and p95 by nearest rank");
        long told = costs.output().calls();
        if (told < costs.models().calls()) {
            sheet.line("tokens: " + told + " of " + costs.models().calls() + " model calls tell them");
        }
    }
}
