package dev.rlm.runs.report.rewards;

import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.Rows;
import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Rewards by their sources and parts, and which of them decide the totals. */
public record RewardForms(Report.Source source, Rows<RewardRow> rows) implements Forms {
    @Override
    public void print(Sheet sheet) {
        sheet.line(rows.all().runs() + " completed or failed of " + source.runs() + " runs in " + source.journal());
        Grid grid = new Grid(
                        Stream.concat(names(), Stream.of("source", "part=name", "unit")),
                        "given",
                        "absent",
                        "not_finite",
                        "mean",
                        "spread=standard_deviation",
                        "min",
                        "max",
                        "correlation",
                        "share of variance=variance_share")
                .leaveOut("unit", "min", "max", "not finite", "correlation", "spread");
        rows.eachAndAll((names, row) -> row.fields().forEach(each -> grid.row(each.putAll(names))));
        if (!grid.isEmpty()) {
            sheet.grid("Rewards by source", grid);
            notes().forEach(sheet::line);
        }
        damage().forEach(sheet::line);
    }

    private Stream<String> names() {
        return rows.dimensions().stream().map(Dimension::field);
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(Notes.superseded(source));
        lines.add("a line without a part is what the source gave; parts are what explains it, before weighting");
        lines.add(
                "correlation, and share of variance (which add up to 100 % over the sources), are with the runs' total"
                        + " rewards, of what a run got, weighted");
        return lines;
    }

    @Override
    public NamedFigures json() {
        return source.fields()
                .put("by", names())
                .putAll(rows.fields(
                        row -> new NamedFigures().put("runs", row.runs()).put("rewards", row.fields())));
    }

    @Override
    public Stream<NamedFigures> csv() {
        List<NamedFigures> lines = new ArrayList<>();
        lines.add(rows.noNames().putAll(RewardRow.none()));
        rows.each((names, row) -> row.fields()
                .forEach(each -> lines.add(new NamedFigures().putAll(names).putAll(each))));
        return lines.stream();
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}
