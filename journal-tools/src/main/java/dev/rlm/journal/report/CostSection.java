package dev.rlm.journal.report;

import dev.rlm.journal.report.CostFigures.TokenKind;

/** What the runs took: time, calls, tokens. */
final class CostSection {
    private CostSection() {}

    static void print(Report report, Sheet sheet) {
        Grid<RowFigures> grid = new Grid<RowFigures>(report.titles())
                .column("duration p50", row -> row.runs().durations().percentile(50))
                .column("p95", row -> row.runs().durations().percentile(95))
                .column("model calls", row -> row.costs().models().shown(CallFigures::calls))
                .column("failed", row -> row.costs().models().shown(CallFigures::failed))
                .column("latency p50", row -> row.costs().models().latencies().percentile(50))
                .column("p95", row -> row.costs().models().latencies().percentile(95))
                .column("tokens in", row -> row.costs().tokens(TokenKind.INPUT).sum())
                .column("cached", row -> row.costs().tokens(TokenKind.CACHED).sum())
                .column("out", row -> row.costs().tokens(TokenKind.OUTPUT).sum())
                .column(
                        "reasoning",
                        row -> row.costs().tokens(TokenKind.REASONING).sum())
                .column("tool calls", row -> row.costs().tools().shown(CallFigures::calls))
                .column("failed", row -> row.costs().tools().shown(CallFigures::failed))
                .leaveOut("reasoning", "cached", "latency p50", "p95", "failed", "failed", "p95");
        report.eachRow(grid::row);
        sheet.heading("Cost");
        sheet.grid(grid);
        sheet.line("durations are of completed and failed runs, all else is of all runs; p50 and p95 by nearest rank");
        Notes.untimed(report.here().all().count(Count.RUNS_WITHOUT_TIMES)).ifPresent(sheet::line);
        tokens(report.here().all().costs(), sheet);
        money(report.here().all().costs(), sheet);
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
        long told = costs.tokens(TokenKind.OUTPUT).calls();
        if (calls > 0 && told < calls) {
            sheet.line(
                    told == 0
                            ? "no model call tells its tokens"
                            : "tokens are of the " + told + " of " + calls + " model calls that tell them");
        }
    }
}
