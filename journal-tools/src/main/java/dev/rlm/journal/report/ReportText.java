package dev.rlm.journal.report;

import dev.rlm.sinks.jsonl.RunState;

/** Writes the report for people, in the order in which they ask. Sections with nothing to say are left out. */
final class ReportText {
    private final Report report;
    private final int worst;
    private final String program;
    private final String options;

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
    }

    void print(Sheet sheet) {
        Report.Source source = report.source();
        sheet.line((source.chosen() - source.superseded()) + " of " + source.runs() + " runs in " + source.journal());
        if (source.chosen() == 0) {
            Notes.damage(report).forEach(sheet::line);
        } else {
            ran(sheet);
            new QualitySection(report).print(sheet);
            comparisons(sheet);
            new FailureSection(report, worst, program, options).print(sheet);
            CostSection.print(report, sheet);
        }
    }

    private void ran(Sheet sheet) {
        Grid grid = new Grid(
                        report.rowTitles(),
                        "runs",
                        "completed",
                        "failed",
                        "aborted",
                        "abandoned",
                        "running",
                        "samples",
                        "steps",
                        "steps per run")
                .leaveOut("samples", "steps per run", "running", "aborted", "steps", "abandoned", "failed");
        report.eachRow((key, row) -> grid.row(
                key,
                Numbers.of(row.runs().all()),
                Numbers.of(row.runs().in(RunState.COMPLETED)),
                Numbers.of(row.runs().in(RunState.FAILED)),
                Numbers.of(row.runs().in(RunState.ABORTED)),
                Numbers.of(row.runs().abandoned()),
                Numbers.of(row.runs().in(RunState.RUNNING)),
                Numbers.of(row.samples()),
                Numbers.of(row.costs().steps()),
                Numbers.of((double) row.costs().steps() / row.runs().all(), 1)));
        sheet.heading("Runs");
        sheet.grid(grid);
        Notes.runs(report).forEach(sheet::line);
    }

    private void comparisons(Sheet sheet) {
        long compared = report.here().all().passes().groups().comparable();
        if (report.against() != null) {
            sheet.heading("Comparison");
            ComparisonSection.print(report.against(), sheet);
        }
        if (compared > 0) {
            sheet.heading("Learning signal");
            SignalSection.print(report.here().all().passes(), sheet);
        }
    }
}
