package dev.rlm.journal.report;

import dev.rlm.sinks.jsonl.RunState;
import java.util.Comparator;
import java.util.List;

/** Where it failed: how runs ended, which rewards are absent and why, tools, and the worst samples. */
final class FailureSection {
    private static final int SHOWN = 20;

    private final Report report;
    private final int worst;
    private final String program;
    private final String options;

    FailureSection(Report report, int worst, String program, String options) {
        this.report = report;
        this.worst = worst;
        this.program = program;
        this.options = options;
    }

    void print(Sheet sheet) {
        RowFigures all = report.here().all();
        ends(all.runs(), sheet);
        failures(all.runs(), sheet);
        absences(all.rewards(), sheet);
        tools(sheet);
        samples(sheet);
    }

    private static void ends(RunCounts runs, Sheet sheet) {
        if (runs.ends().size() > 1 || runs.in(RunState.COMPLETED) < runs.all()) {
            Grid grid = new Grid(List.of("state", "reason"), "runs");
            runs.ends().stream()
                    .limit(SHOWN)
                    .forEach(end -> grid.row(
                            List.of(end.getKey().state(), end.getKey().reason()),
                            Numbers.of(end.getValue().total())));
            sheet.heading("Ends of runs");
            sheet.grid(grid);
            more(runs.ends().size(), sheet);
        }
    }

    private static void failures(RunCounts runs, Sheet sheet) {
        List<String> lines = runs.failures().lines(SHOWN);
        if (!lines.isEmpty()) {
            sheet.heading("Why runs failed");
            lines.forEach(sheet::line);
        }
    }

    private static void absences(RewardFigures rewards, Sheet sheet) {
        if (!rewards.absences().isEmpty()) {
            Grid grid = new Grid(List.of("reason"), "rewards");
            rewards.absences().stream()
                    .limit(SHOWN)
                    .forEach(reason -> grid.row(List.of(reason.getKey()), Numbers.of(reason.getValue())));
            sheet.heading("Absent rewards");
            sheet.grid(grid);
            more(rewards.absences().size(), sheet);
        }
    }

    /** Of all runs together, unless the rows are to be those of tools. */
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
        Grid grid = new Grid(
                        ToolRow.dimensions(report).stream()
                                .map(Dimension::title)
                                .toList(),
                        "calls",
                        "failed",
                        "error rate",
                        "runs",
                        "latency p50",
                        "p95")
                .leaveOut("runs", "p95", "latency p50");
        shown.forEach(row -> tool(grid, row));
        if (!grid.isEmpty()) {
            sheet.heading("Tools");
            sheet.grid(grid);
            if (shown.size() < tools.size()) {
                more(tools.size(), sheet);
            }
        }
    }

    private static void tool(Grid grid, ToolRow row) {
        CallFigures calls = row.calls();
        grid.row(
                row.names(),
                Numbers.of(calls.calls()),
                Numbers.of(calls.failed()),
                Numbers.of(calls.errorRate()),
                Numbers.of(calls.runs()),
                Numbers.of(calls.latencies().percentile(50)),
                Numbers.of(calls.latencies().percentile(95)));
    }

    private void samples(Sheet sheet) {
        List<SampleFigures> samples = report.here().worst(worst);
        Grid grid = new Grid(List.of("environment", "split", "sample"), "solved", "of runs", "mean reward", "run")
                .leaveOut("environment", "split", "mean reward");
        samples.forEach(sample -> grid.row(
                List.of(
                        sample.sample().environment(),
                        sample.sample().split(),
                        sample.sample().sample()),
                Numbers.of(sample.solved()),
                Numbers.of(sample.decided()),
                Numbers.of(sample.meanReward()),
                sample.worstRun()));
        if (!grid.isEmpty()) {
            long unsolved = report.here().samples().values().stream()
                    .filter(sample -> sample.decided() > 0 && sample.solved() == 0)
                    .count();
            sheet.heading("Worst samples");
            sheet.grid(grid);
            sheet.line("look at one with " + program + " show RUN" + options);
            sheet.line("samples without a solved run: " + unsolved + " of "
                    + report.here().samples().size());
        }
    }

    private static void more(int size, Sheet sheet) {
        if (size > SHOWN) {
            sheet.line("… " + (size - SHOWN) + " more (--json has all)");
        }
    }
}
