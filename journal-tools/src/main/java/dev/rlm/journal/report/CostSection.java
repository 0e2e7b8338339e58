package dev.rlm.journal.report;

import java.util.List;

/** What the runs took: time, calls, tokens. */
final class CostSection {
    private CostSection() {}

    static void print(Report report, Sheet sheet) {
        Grid grid = new Grid(
                        report.rowTitles(),
                        "duration p50",
                        "p95",
                        "model calls",
                        "failed",
                        "latency p50",
                        "p95",
                        "tokens in",
                        "cached",
                        "out",
                        "reasoning",
                        "tool calls",
                        "failed")
                .leaveOut("reasoning", "cached", "latency p50", "p95", "failed", "failed", "p95");
        report.eachRow((key, row) -> row(grid, key, row.costs()));
        sheet.heading("Cost");
        sheet.grid(grid);
        sheet.line("durations are of completed and failed runs, all else is of all runs; p50 and p95 by nearest rank");
        Notes.untimed(report.here().all().costs().untimed()).ifPresent(sheet::line);
        tokens(report.here().all().costs(), sheet);
        money(report.here().all().costs(), sheet);
    }

    private static void row(Grid grid, List<String> key, CostFigures costs) {
        grid.row(
                key,
                Numbers.of(costs.durations().percentile(50)),
                Numbers.of(costs.durations().percentile(95)),
                calls(costs.models(), costs.models().calls()),
                calls(costs.models(), costs.models().failed()),
                Numbers.of(costs.models().latencies().percentile(50)),
                Numbers.of(costs.models().latencies().percentile(95)),
                Numbers.of(costs.input().sum()),
                Numbers.of(costs.cached().sum()),
                Numbers.of(costs.output().sum()),
                Numbers.of(costs.reasoning().sum()),
                calls(costs.tools(), costs.tools().calls()),
                calls(costs.tools(), costs.tools().failed()));
    }

    /** Where there are no calls at all there is nothing to count. */
    private static String calls(CallFigures calls, long number) {
        return calls.calls() == 0 ? Numbers.NONE : Numbers.of(number);
    }

    private static void money(CostFigures costs, Sheet sheet) {
        long calls = costs.models().calls();
        long told = costs.money().calls();
        if (told > 0) {
            String which =
                    told == calls ? "the model calls" : told + " of the " + calls + " model calls, which tell it,";
            sheet.line(which + " cost " + costs.money());
        }
    }

    private static void tokens(CostFigures costs, Sheet sheet) {
        long calls = costs.models().calls();
        long told = costs.output().calls();
        if (calls > 0 && told < calls) {
            sheet.line(
                    told == 0
                            ? "no model call tells its tokens"
                            : "tokens are of the " + told + " of " + calls + " model calls that tell them");
        }
    }
}
