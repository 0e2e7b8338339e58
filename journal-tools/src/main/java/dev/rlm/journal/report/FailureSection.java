package dev.rlm.journal.report;

import dev.rlm.journal.report.Ends.End;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

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
        ends(all, sheet);
        failures(all.ends(), sheet);
        absences(all.rewards(), sheet);
        tools(sheet);
        samples(sheet);
    }

    private static void ends(RowFigures all, Sheet sheet) {
        List<Map.Entry<End, MessageGroups>> ends = all.ends().all();
        if (ends.size() > 1 || all.runs().ended(Outcome.COMPLETED) < all.runs().runs()) {
            Grid<MessageGroups> grid =
                    new Grid<MessageGroups>(List.of("state", "reason")).column("runs", MessageGroups::total);
            ends.stream()
                    .limit(SHOWN)
                    .forEach(end ->
                            grid.row(List.of(end.getKey().state(), end.getKey().reason()), end.getValue()));
            sheet.heading("Ends of runs");
            sheet.grid(grid);
            more(ends.size(), sheet);
        }
    }

    private static void failures(Ends ends, Sheet sheet) {
        List<String> lines = ends.failures().lines(SHOWN);
        if (!lines.isEmpty()) {
            sheet.heading("Why runs failed");
            lines.forEach(sheet::line);
        }
    }

    private static void absences(RewardFigures rewards, Sheet sheet) {
        if (!rewards.absences().isEmpty()) {
            Grid<Long> grid = new Grid<Long>(List.of("reason")).column("rewards", number -> number);
            rewards.absences().stream()
                    .limit(SHOWN)
                    .forEach(reason -> grid.row(List.of(reason.getKey()), reason.getValue()));
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
        List<String> names =
                ToolRow.dimensions(report).stream().map(Dimension::title).toList();
        Grid<CallFigures> grid = new Grid<CallFigures>(names)
                .column("calls", CallFigures::calls)
                .column("failed", CallFigures::failed)
                .column("error rate", CallFigures::errorRate)
                .column("runs", CallFigures::runs)
                .column("latency p50", calls -> calls.latencies().percentile(50))
                .column("p95", calls -> calls.latencies().percentile(95))
                .leaveOut("runs", "p95", "latency p50");
        shown.forEach(row -> grid.row(row.names(), row.calls()));
        if (!grid.isEmpty()) {
            sheet.heading("Tools");
            sheet.grid(grid);
            if (shown.size() < tools.size()) {
                more(tools.size(), sheet);
            }
        }
    }

    private void samples(Sheet sheet) {
        Grid<SampleFigures> grid = new Grid<SampleFigures>(List.of("environment", "split", "sample"))
                .column("solved", sample -> sample.runs().solved())
                .column("of runs", sample -> sample.runs().decided())
                .column("mean reward", sample -> sample.runs().meanReward())
                .column("run", SampleFigures::worstRun)
                .leaveOut("environment", "split", "mean reward");
        report.here().worst(worst).forEach(sample -> {
            SampleKey key = sample.sample();
            grid.row(List.of(key.environment(), key.split(), key.sample()), sample);
        });
        if (!grid.isEmpty()) {
            long unsolved = report.here().samples().values().stream()
                    .filter(sample ->
                            sample.runs().decided() > 0 && sample.runs().solved() == 0)
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
