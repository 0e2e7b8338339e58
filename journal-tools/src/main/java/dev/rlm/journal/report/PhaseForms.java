package dev.rlm.journal.report;

import dev.rlm.cli.terminal.Json;
import dev.rlm.sinks.schema.statistics.Lengths;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Where the time of the runs goes. */
record PhaseForms(Report.Source source, Phases phases) implements Forms {
    private static final double NANOS = 1e9;

    @Override
    public void print(Sheet sheet) {
        sheet.line(phases.all().runs() + " of " + source.runs() + " runs in " + source.journal());
        if (phases.all().runs() == 0) {
            Notes.untimed(phases.untimed()).ifPresent(sheet::line);
            damage().forEach(sheet::line);
            return;
        }
        Grid grid = new Grid(
                        Stream.concat(titles(), Stream.of("kind", "name")).toList(),
                        "count",
                        "total",
                        "share",
                        "own time",
                        "own share",
                        "mean",
                        "p50",
                        "p95",
                        "max",
                        "failed")
                .leaveOut("max", "p95", "p50", "own time", "count", "mean", "failed");
        eachRow((names, row) -> row.phases()
                .forEach((key, figures) -> grid.row(
                        Stream.concat(names.stream(), Stream.of(key.kind().title(), key.name()))
                                .toList(),
                        cells(key, figures, row.nanos()))));
        sheet.heading("Time");
        sheet.grid(grid);
        notes().forEach(sheet::line);
    }

    private static String[] cells(PhaseKey key, PhaseFigures figures, long nanos) {
        boolean other = key.kind() == PhaseKey.Kind.OTHER; // nothing that could be counted
        Lengths lengths = figures.lengths();
        return new String[] {
            other ? Numbers.NONE : Numbers.of(figures.count()),
            other ? Numbers.NONE : Numbers.of(Duration.ofNanos(figures.totalNanos())),
            other ? Numbers.NONE : Numbers.percent((double) figures.coveredNanos() / nanos),
            Numbers.of(Duration.ofNanos(Math.round(figures.ownNanos()))),
            Numbers.percent(figures.ownNanos() / nanos),
            other ? Numbers.NONE : Numbers.of(Duration.ofNanos(Math.round(figures.meanNanos()))),
            Numbers.of(lengths.percentile(50)),
            Numbers.of(lengths.percentile(95)),
            Numbers.of(lengths.percentile(100)),
            other ? Numbers.NONE : Numbers.of(figures.failed())
        };
    }

    private Stream<String> titles() {
        return phases.dimensions().stream().map(Dimension::title);
    }

    /** Takes each row by its names; where nothing tells the runs apart, all runs together. */
    private void eachRow(BiConsumer<List<String>, PhaseRow> consumer) {
        if (phases.dimensions().isEmpty()) {
            consumer.accept(List.of(), phases.all());
        }
        phases.rows().forEach((key, row) -> consumer.accept(key.values(), row));
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(damage());
        Notes.superseded(source).ifPresent(lines::add);
        Notes.untimed(phases.untimed()).ifPresent(lines::add);
        lines.add("the runs took " + Numbers.of(Duration.ofNanos(phases.all().nanos()))
                + " in all; total is from start to end of each, nested and parallel work included");
        lines.add("share is of the runs' time, while at least one of them went on; own time is without what went on"
                + " within them, parallel work sharing it: own shares add up to 100 %");
        lines.add("rewards are those whose computation took time, failed those that are absent; p50 and p95 by nearest"
                + " rank");
        return lines;
    }

    @Override
    public void json(JsonGenerator json) {
        RowJson.source(json, source);
        json.writeNumberProperty("runs_without_times", phases.untimed());
        json.writeArrayPropertyStart("by");
        phases.dimensions().forEach(dimension -> json.writeString(dimension.field()));
        json.writeEndArray();
        json.writeObjectPropertyStart("all");
        row(json, phases.all());
        json.writeEndObject();
        json.writeArrayPropertyStart("rows");
        phases.rows().forEach((key, row) -> {
            json.writeStartObject();
            ReportJson.key(json, phases.dimensions(), key.values());
            row(json, row);
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void row(JsonGenerator json, PhaseRow row) {
        json.writeNumberProperty("runs", row.runs());
        json.writeNumberProperty("seconds", row.nanos() / NANOS);
        json.writeArrayPropertyStart("phases");
        row.phases().forEach((key, figures) -> {
            json.writeStartObject();
            Json.text(json, "kind", key.kind().field());
            Json.text(json, "name", key.name().isEmpty() ? null : key.name());
            fields(figures, row.nanos()).forEach((name, value) -> RowJson.number(json, name, value));
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    @Override
    public void csv(PrintWriter out) {
        Stream<String> names =
                Stream.concat(phases.dimensions().stream().map(Dimension::field), Stream.of("kind", "name"));
        ReportCsv.line(out, Stream.concat(names, fields(new PhaseFigures(), 0).keySet().stream()));
        eachRow((key, row) -> row.phases()
                .forEach((phase, figures) -> ReportCsv.line(
                        out,
                        Stream.concat(key.stream(), Stream.of(phase.kind().field(), phase.name()))
                                .toList(),
                        fields(figures, row.nanos()).values())));
    }

    /** Times are in seconds, shares are fractions. */
    private static Map<String, @Nullable Number> fields(PhaseFigures figures, long nanos) {
        Map<String, @Nullable Number> fields = new LinkedHashMap<>();
        fields.put("count", figures.count());
        fields.put("failed", figures.failed());
        fields.put("total", figures.totalNanos() / NANOS);
        fields.put("share", fraction((double) figures.coveredNanos(), nanos));
        fields.put("own", figures.ownNanos() / NANOS);
        fields.put("own_share", fraction(figures.ownNanos(), nanos));
        fields.put("mean", fraction(figures.totalNanos() / NANOS, figures.count()));
        fields.put("p50", seconds(figures.lengths().percentile(50)));
        fields.put("p95", seconds(figures.lengths().percentile(95)));
        fields.put("max", seconds(figures.lengths().percentile(100)));
        return fields;
    }

    private static @Nullable Double fraction(double part, long whole) {
        return whole == 0 ? null : part / whole;
    }

    private static @Nullable Double seconds(@Nullable Duration length) {
        return length == null ? null : length.toNanos() / NANOS;
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}
