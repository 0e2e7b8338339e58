package dev.rlm.journal.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the runs came to. To people it is told in the order in which they ask, without sections that have nothing to say.
 *
 * @param worst how many of the worst samples to show
 * @param program how the user calls the program
 * @param options what the user would have to say again to look at the same journal
 */
record RunForms(Report report, int worst, String program, String options) implements Forms {
    @Override
    public void print(Sheet sheet) {
        Report.Source source = report.source();
        sheet.line((source.chosen() - source.superseded()) + " of " + source.runs() + " runs in " + source.journal());
        if (source.chosen() == 0) {
            damage().forEach(sheet::line);
            return;
        }
        List<Fields> rows = new ArrayList<>();
        report.here()
                .rows()
                .eachAndAll((names, row) -> rows.add(row.fields()
                        .putAll(names)
                        .put(
                                "steps_per_run",
                                null,
                                Numbers.of(
                                        (double) row.runs().steps() / row.runs().runs(), 1))));
        ran(rows, sheet);
        new QualitySection(report, rows).print(sheet);
        if (report.against() != null) {
            sheet.heading("Comparison");
            ComparisonSection.print(report.against(), sheet);
        }
        if (report.here().all().groups().comparable() > 0) {
            sheet.heading("Learning signal");
            SignalSection.print(report.here().all(), sheet);
        }
        new FailureSection(report, worst, program, options).print(sheet);
        CostSection.print(report, rows, sheet);
    }

    private void ran(List<Fields> rows, Sheet sheet) {
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
        sheet.heading("Runs");
        sheet.grid(grid);
        Notes.runs(report).forEach(sheet::line);
    }

    @Override
    public Fields json() {
        return new ReportFields(report).all(worst);
    }

    /** The rows; with {@link Dimension#TOOL} those of the tools. */
    @Override
    public Stream<Fields> csv() {
        if (report.by().contains(Dimension.TOOL)) {
            return Stream.concat(Stream.of(ToolRow.none(report)), ToolRow.of(report).stream())
                    .map(ToolRow::fields);
        }
        ReportFields fields = new ReportFields(report);
        List<Fields> lines = new ArrayList<>();
        lines.add(report.here().rows().noNames().putAll(fields.line(new RowFigures())));
        report.here().rows().each((names, row) -> lines.add(names.putAll(fields.line(row))));
        return lines.stream();
    }

    @Override
    public List<String> damage() {
        return Notes.damage(report);
    }
}
