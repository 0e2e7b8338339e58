package dev.rlm.runs.report.results;

import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.RowFigures;
import dev.rlm.runs.report.figures.SampleFigures;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import dev.rlm.sinks.event.Outcome;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Section on failures: ends of runs, reasons of absent rewards, calls of tools, and the worst samples.
 *
 * @param worst how many of the worst samples to show
 * @param program how the user calls the program
 * @param options what the user would have to say again to look at the same journal
 */
record FailureSection(Report report, int worst, String program, String options) {
    private static final int SHOWN = 20;

    void print(Sheet sheet) {
        RowFigures all = report.here().all();
        List<NamedFigures> ends = all.ends().all();
        if (ends.size() > 1 || all.runs().ended(Outcome.COMPLETED) < all.runs().runs()) {
            print(ends, "Ends of runs", new Grid(Stream.of("state", "reason"), "runs"), sheet);
        }
        List<String> failures = all.ends().failures().lines(SHOWN);
        if (!failures.isEmpty()) {
            sheet.heading("Why runs failed");
            failures.forEach(sheet::line);
            sheet.line("by layer: "
                    + all.ends()
                            .layers()
                            .map(layer -> layer.text("runs") + " "
                                    + layer.text("layer").replace('_', ' '))
                            .collect(Collectors.joining(", ")));
        }
        List<NamedFigures> absences = all.rewards().absences().toList();
        if (!absences.isEmpty()) {
            print(absences, "Absent rewards", new Grid(Stream.of("reason"), "rewards"), sheet);
        }
        tools(sheet);
        samples(sheet);
    }

    private static void print(List<NamedFigures> rows, String heading, Grid grid, Sheet sheet) {
        rows.stream().limit(SHOWN).forEach(grid::row);
        sheet.grid(heading, grid);
        more(rows.size(), sheet);
    }

    /** Prints the tools of all runs together, unless the rows are those of tools. */
    private void tools(Sheet sheet) {
        List<ToolRow> tools = ToolRow.of(report);
        List<ToolRow> shown = report.by().contains(Dimension.TOOL)
                ? tools
                : tools.stream()
                        .sorted(Comparator.comparingLong(
                                        (ToolRow row) -> row.calls().calls())
                                .reversed()
                                .thenComparing(ToolRow::tool))
                        .limit(SHOWN)
                        .toList();
        Grid grid = new Grid(ToolRow.names(report), "calls", "failed", "error_rate", "runs", "latency p50=p50", "p95")
                .leaveOut("runs", "p95", "latency p50");
        shown.forEach(row -> grid.row(row.fields()));
        if (!grid.isEmpty()) {
            sheet.grid("Tools", grid);
            if (shown.size() < tools.size()) {
                more(tools.size(), sheet);
            }
        }
    }

    private void samples(Sheet sheet) {
        Side side = report.here();
        Grid grid = new Grid(
                        Stream.of("environment", "split", "sample"),
                        "solved",
                        "of runs=runs",
                        "mean_reward",
                        "run=run_id")
                .leaveOut("environment", "split", "mean reward");
        side.worst(worst).forEach(sample -> grid.row(sample.fields()));
        if (!grid.isEmpty()) {
            List<SampleFigures> decided = side.samples().values().stream()
                    .filter(sample -> sample.runs().decided() > 0)
                    .toList();
            long unsolved = decided.stream()
                    .filter(sample -> sample.runs().solved() == 0)
                    .count();
            sheet.grid("Worst samples", grid);
            sheet.line("look at one with " + program + " show RUN" + options);
            sheet.line("samples without a solved run: " + unsolved + " of " + decided.size());
        }
    }

    private static void more(int size, Sheet sheet) {
        if (size > SHOWN) {
            sheet.line("… " + (size - SHOWN) + " more (--json has all)");
        }
    }
}
