package dev.rlm.runs.report.results;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.figures.CostFigures;
import dev.rlm.runs.report.figures.Count;
import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.RowFigures;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Report of the results of runs. For people it has the order in which they ask, without empty sections.
 *
 * @param worst how many of the worst samples to show
 * @param program how the user calls the program
 * @param options what the user would have to say again to look at the same journal
 * @param failsOnWorse whether the command is to fail where this side is worse than the other
 */
public record RunForms(Report report, int worst, String program, String options, boolean failsOnWorse)
        implements Forms {
    @Override
    public Optional<String> failure() {
        return failsOnWorse && report.against() != null
                ? new ComparisonGate(report.here(), report.against()).failure()
                : Optional.empty();
    }

    @Override
    public void print(Sheet sheet) {
        Report.Source source = report.source();
        sheet.line((source.chosen() - source.superseded()) + " of " + source.runs() + " runs in " + source.journal());
        if (source.chosen() == 0) {
            damage().forEach(sheet::line);
            return;
        }
        List<NamedFigures> rows = new ArrayList<>();
        report.here().rows().eachAndAll((names, row) -> {
            double steps = row.runs().steps();
            rows.add(row.fields()
                    .putAll(names)
                    .put("steps_per_run", null, Numbers.of(steps / row.runs().runs(), 1)));
        });
        ran(rows, sheet);
        QualitySection quality = new QualitySection(report, rows);
        quality.print(sheet);
        if (report.against() != null) {
            sheet.heading("Comparison");
            ComparisonSection.print(report.against(), sheet);
        }
        if (report.here().all().groups().comparable() > 0) {
            sheet.heading("Learning signal");
            quality.signal(sheet);
        }
        new FailureSection(report, worst, program, options).print(sheet);
        cost(rows, sheet);
    }

    private void ran(List<NamedFigures> rows, Sheet sheet) {
        Grid grid = new Grid(
                        report.names(),
                        "runs",
                        "completed",
                        "failed",
                        "aborted",
                        "abandoned",
                        "running",
                        "samples",
                        "steps",
                        "steps_per_run")
                .leaveOut("samples", "steps per run", "running", "aborted", "steps", "abandoned", "failed");
        rows.forEach(grid::row);
        sheet.grid("Runs", grid);
        Notes.runs(report).forEach(sheet::line);
    }

    /** Prints the cost of the runs: time, calls, tokens. */
    private void cost(List<NamedFigures> rows, Sheet sheet) {
        Grid grid = new Grid(
                        report.names(),
                        "duration_p50",
                        "p95=duration_p95",
                        "model_calls",
                        "failed=failed_model_calls",
                        "latency p50=model_call_p50",
                        "p95=model_call_p95",
                        "tokens in=input_tokens",
                        "cached=cached_tokens",
                        "out=output_tokens",
                        "reasoning=reasoning_tokens",
                        "tool_calls",
                        "failed=failed_tool_calls")
                .leaveOut("reasoning", "cached", "latency p50", "p95", "failed", "failed", "p95");
        rows.forEach(grid::row);
        sheet.grid("Cost", grid);
        sheet.line("durations are of completed and failed runs, all else is of all runs; p50 and p95 by nearest rank");
        Notes.untimed(report.here().all().count(Count.RUNS_WITHOUT_TIMES)).forEach(sheet::line);
        tokens(report.here().all().costs(), sheet);
        money(report.here().all().costs(), sheet);
    }

    private static void money(CostFigures costs, Sheet sheet) {
        long calls = costs.calls();
        long told = costs.money().calls();
        if (told > 0) {
            String which =
                    told == calls ? "the model calls" : told + " of the " + calls + " model calls, which tell it,";
            sheet.line(which + " cost " + costs.money());
        }
    }

    private static void tokens(CostFigures costs, Sheet sheet) {
        long calls = costs.calls();
        long told = costs.callsWithTokens();
        if (calls > 0 && told < calls) {
            sheet.line(
                    told == 0
                            ? "no model call tells its tokens"
                            : "tokens are of the " + told + " of " + calls + " model calls that tell them");
        }
    }

    @Override
    public NamedFigures json() {
        return report.fields(worst);
    }

    /** The rows; with {@link Dimension#TOOL} those of the tools. */
    @Override
    public Stream<NamedFigures> csv() {
        if (report.by().contains(Dimension.TOOL)) {
            return Stream.concat(Stream.of(ToolRow.none(report)), ToolRow.of(report).stream())
                    .map(ToolRow::fields);
        }
        List<NamedFigures> lines = new ArrayList<>();
        lines.add(report.here().rows().noNames().putAll(report.line(new RowFigures())));
        report.here().rows().each((names, row) -> lines.add(names.putAll(report.line(row))));
        return lines.stream();
    }

    @Override
    public List<String> damage() {
        return Notes.damage(report);
    }
}
