package dev.rlm.journal.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Where the time of the runs goes. */
record PhaseForms(Report.Source source, Phases phases) implements Forms {
    private static final double NANOS = 1e9;

    private PhaseRow all() {
        return phases.rows().all();
    }

    @Override
    public void print(Sheet sheet) {
        sheet.line(all().runs() + " of " + source.runs() + " runs in " + source.journal());
        if (all().runs() == 0) {
            Notes.untimed(phases.untimed()).ifPresent(sheet::line);
            damage().forEach(sheet::line);
            return;
        }
        Grid<Phase> grid = new Grid<Phase>(with(phases.rows().titles(), "kind", "name"))
                .column("count", phase -> phase.counted(phase.figures().count()))
                .column("total", phase -> phase.counted(phase.total()))
                .column("share", phase -> phase.counted(Numbers.percent(phase.share())))
                .column("own time", phase -> rounded(phase.figures().ownNanos()))
                .column("own share", phase -> Numbers.percent(phase.ownShare()))
                .column("mean", phase -> phase.counted(rounded(phase.figures().meanNanos())))
                .column("p50", phase -> phase.figures().lengths().percentile(50))
                .column("p95", phase -> phase.figures().lengths().percentile(95))
                .column("max", phase -> phase.figures().lengths().percentile(100))
                .column("failed", phase -> phase.counted(phase.figures().failed()))
                .leaveOut("max", "p95", "p50", "own time", "count", "mean", "failed");
        phases.rows()
                .each((names, row) -> row.phases()
                        .forEach(phase -> grid.row(
                                with(
                                        names,
                                        phase.key().kind().title(),
                                        phase.key().name()),
                                phase)));
        sheet.heading("Time");
        sheet.grid(grid);
        notes().forEach(sheet::line);
    }

    private static List<String> with(List<String> names, String... more) {
        return Stream.concat(names.stream(), Stream.of(more)).toList();
    }

    private static Duration rounded(double nanos) {
        return Duration.ofNanos(Math.round(nanos));
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(damage());
        Notes.superseded(source).ifPresent(lines::add);
        Notes.untimed(phases.untimed()).ifPresent(lines::add);
        lines.add("the runs took " + Numbers.text(Duration.ofNanos(all().nanos()))
                + " in all; total is from start to end of each, nested and parallel work included");
        lines.add("share is of the runs' time, while at least one of them went on; own time is without what went on"
                + " within them, parallel work sharing it: own shares add up to 100 %");
        lines.add("rewards are those whose computation took time, failed those that are absent; p50 and p95 by nearest"
                + " rank");
        return lines;
    }

    @Override
    public Fields json() {
        return source.fields()
                .put("runs_without_times", phases.untimed())
                .put("by", phases.rows().dimensions().stream().map(Dimension::field))
                .putAll(phases.rows().allFields(PhaseForms::row));
    }

    private static Fields row(PhaseRow row) {
        return new Fields()
                .put("runs", row.runs())
                .put("seconds", row.nanos() / NANOS)
                .put("phases", row.phases().stream().map(Phase::fields));
    }

    @Override
    public Stream<Fields> csv() {
        List<Dimension> dimensions = phases.rows().dimensions();
        List<Fields> lines = new ArrayList<>();
        lines.add(Dimension.fields(dimensions, Collections.nCopies(dimensions.size(), ""))
                .putAll(new Phase(PhaseKey.of(PhaseKey.Kind.OTHER), new PhaseFigures(), 0).fields()));
        phases.rows()
                .each((names, row) -> row.phases()
                        .forEach(phase ->
                                lines.add(Dimension.fields(dimensions, names).putAll(phase.fields()))));
        return lines.stream();
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}
