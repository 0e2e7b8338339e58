package dev.rlm.journal.report;

import java.util.List;

/** What the runs took: time, calls, tokens. */
final class CostSection {
    private CostSection() {}

    static void print(Report report, List<Fields> rows, Sheet sheet) {
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
        sheet.heading("Cost");
        sheet.grid(grid);
        sheet.line("durations are of completed and failed runs, all else is of all runs; p50 and p95 by nearest rank");
        Notes.untimed(report.here().all().count(Count.RUNS_WITHOUT_TIMES)).ifPresent(sheet::line);
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
}
