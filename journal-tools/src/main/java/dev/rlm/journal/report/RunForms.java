package dev.rlm.journal.report;

import dev.rlm.sinks.event.Outcome;
import java.util.Collections;
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
        ran(sheet);
        new QualitySection(report).print(sheet);
        if (report.against() != null) {
            sheet.heading("Comparison");
            ComparisonSection.print(report.against(), sheet);
        }
        if (report.here().all().groups().comparable() > 0) {
            sheet.heading("Learning signal");
            SignalSection.print(report.here().all(), sheet);
        }
        new FailureSection(report, worst, program, options).print(sheet);
        CostSection.print(report, sheet);
    }

    private void ran(Sheet sheet) {
        Grid<RowFigures> grid = new Grid<RowFigures>(report.titles())
                .column("runs", row -> row.runs().runs())
                .column("completed", row -> row.runs().ended(Outcome.COMPLETED))
                .column("failed", row -> row.runs().ended(Outcome.FAILED))
                .column("aborted", row -> row.runs().ended(Outcome.ABORTED))
                .column("abandoned", row -> row.runs().ended(Outcome.ABANDONED))
                .column("running", row -> row.runs().running())
                .column("samples", RowFigures::samples)
                .column("steps", row -> row.runs().steps())
                .column(
                        "steps per run",
                        row -> Numbers.of(
                                (double) row.runs().steps() / row.runs().runs(), 1))
                .leaveOut("samples", "steps per run", "running", "aborted", "steps", "abandoned", "failed");
        report.eachRow(grid::row);
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
            List<String> names = Collections.nCopies(ToolRow.dimensions(report).size(), "");
            return Stream.concat(Stream.of(new ToolRow(names, new CallFigures())), ToolRow.of(report).stream())
                    .map(row -> row.fields(report));
        }
        return report.here().rows().lines(new ReportFields(report)::line);
    }

    @Override
    public List<String> damage() {
        return Notes.damage(report);
    }
}
