package dev.rlm.runs.report.failures;

import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import java.util.List;
import java.util.stream.Stream;

/** Failed calls of tools: the errors, and the latest calls with their arguments. */
public record FailedCallForms(Report.Source source, FailedCalls calls) implements Forms {
    private static final int SHOWN = 20;

    @Override
    public void print(Sheet sheet) {
        NamedFigures counts = calls.fields();
        sheet.line(counts.text("runs") + " of " + source.runs() + " runs in " + source.journal() + ": "
                + counts.text("failed_calls") + " of " + counts.text("calls") + " tool calls failed, in "
                + counts.text("runs_with_failed_calls") + " runs");
        if (calls.failed() > 0) {
            print("Errors of tools", calls.errors(), new Grid(Stream.of("tool", "error"), "calls"), sheet);
            Grid latest = new Grid(Stream.of("run=run_id", "tool", "arguments", "error"), "step").leaveOut("step");
            print("Latest failed calls", calls.latest(), latest, sheet);
            Notes.superseded(source).forEach(sheet::line);
        }
        damage().forEach(sheet::line);
    }

    private static void print(String heading, List<NamedFigures> rows, Grid grid, Sheet sheet) {
        rows.stream().limit(SHOWN).forEach(grid::row);
        sheet.grid(heading, grid);
        if (rows.size() > SHOWN) {
            sheet.line("… " + (rows.size() - SHOWN) + " more (--json has them)");
        }
    }

    @Override
    public NamedFigures json() {
        return source.fields()
                .putAll(calls.fields())
                .put("errors", calls.errors().stream())
                .put("latest", calls.latest().stream());
    }

    @Override
    public Stream<NamedFigures> csv() {
        return Stream.concat(Stream.of(FailedCall.NONE.fields()), calls.latest().stream());
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}
