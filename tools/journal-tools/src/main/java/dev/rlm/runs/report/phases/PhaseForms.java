package dev.rlm.runs.report.phases;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Report of the runs' time by kind of work. */
public record PhaseForms(Report.Source source, Phases phases) implements Forms {
    @Override
    public void print(Sheet sheet) {
        long runs = phases.rows().all().runs();
        sheet.line(runs + " of " + source.runs() + " runs in " + source.journal());
        if (runs == 0) {
            Notes.untimed(phases.untimed()).forEach(sheet::line);
            damage().forEach(sheet::line);
            return;
        }
        Stream<String> dimensions = phases.rows().dimensions().stream().map(Dimension::field);
        Grid grid = new Grid(
                        Stream.concat(dimensions, Stream.of("kind", "name")),
                        "count",
                        "total",
                        "share",
                        "own time=own",
                        "own_share",
                        "mean",
                        "p50",
                        "p95",
                        "max",
                        "failed")
                .leaveOut("max", "p95", "p50", "own time", "count", "mean", "failed");
        lines().forEach(grid::row);
        sheet.grid("Time", grid);
        notes().forEach(sheet::line);
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(damage());
        lines.addAll(Notes.superseded(source));
        lines.addAll(Notes.untimed(phases.untimed()));
        lines.add("the runs took " + Numbers.text(phases.rows().all().time())
                + " in all; total is from start to end of each, nested and parallel work included");
        lines.add("share is of the runs' time, while at least one of them went on; own time is without what went on"
                + " within them, parallel work sharing it: own shares add up to 100 %");
        lines.add("rewards are those whose computation took time, failed those that are absent; p50 and p95 by nearest"
                + " rank");
        return lines;
    }

    @Override
    public NamedFigures json() {
        return source.fields()
                .put("runs_without_times", phases.untimed())
                .put("by", phases.rows().dimensions().stream().map(Dimension::field))
                .putAll(phases.rows().fields(PhaseRow::fields));
    }

    @Override
    public Stream<NamedFigures> csv() {
        NamedFigures nothing = new PhaseFigures().fields(PhaseKey.of(PhaseKey.Kind.OTHER), 0);
        return Stream.concat(Stream.of(phases.rows().noNames().putAll(nothing)), lines().stream());
    }

    private List<NamedFigures> lines() {
        List<NamedFigures> lines = new ArrayList<>();
        phases.rows()
                .each((names, row) -> row.phases()
                        .forEach(phase ->
                                lines.add(new NamedFigures().putAll(names).putAll(phase))));
        return lines;
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}
