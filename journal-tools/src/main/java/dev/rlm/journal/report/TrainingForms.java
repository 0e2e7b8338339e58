package dev.rlm.journal.report;

import dev.rlm.cli.terminal.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** The numbers of training: as curves for people, with all their points in JSON. */
record TrainingForms(TrainingReport report) implements Forms {
    @Override
    public void print(Sheet sheet) {
        if (report.reports() == 0) {
            sheet.line("no numbers of training in " + report.journal());
        } else {
            sheet.line(Notes.count(report.reports(), "report", "reports") + " of numbers of training in "
                    + report.journal());
            sections().forEach(section -> print(section, sheet));
        }
        notes().forEach(sheet::line);
    }

    /** Numbers of one category that were reported by the same kind of step share an axis. */
    private List<List<SeriesKey>> sections() {
        List<List<SeriesKey>> sections = new ArrayList<>();
        for (SeriesKey key : report.series().keySet()) {
            if (sections.isEmpty() || !sections.get(sections.size() - 1).get(0).isBeside(key)) {
                sections.add(new ArrayList<>());
            }
            sections.get(sections.size() - 1).add(key);
        }
        return sections;
    }

    private void print(List<SeriesKey> section, Sheet sheet) {
        TreeSet<Double> steps = new TreeSet<>();
        section.forEach(key -> steps.addAll(of(key).all().keySet()));
        Curve curve = Curve.over(steps.first(), steps.last(), steps.size());
        Grid grid = new Grid(List.of("number"), "points", "not finite", "first", "last", "min", "max", "curve")
                .leaveOut("points", "first", "not finite", "min", "max");
        for (SeriesKey key : section) {
            Series series = of(key);
            grid.row(
                    List.of(title(key.name())),
                    Numbers.of(series.all().size()),
                    series.notFinite() == 0 ? Numbers.NONE : Numbers.of(series.notFinite()),
                    Numbers.rounded(series.first()),
                    Numbers.rounded(series.last()),
                    Numbers.rounded(series.min()),
                    Numbers.rounded(series.max()),
                    curve.of(series.finite(), sheet.marks()));
        }
        SeriesKey first = section.get(0);
        sheet.heading(first.category() + ", " + first.stepField() + " " + Numbers.rounded(steps.first()) + " to "
                + Numbers.rounded(steps.last()));
        sheet.grid(grid);
    }

    private Series of(SeriesKey key) {
        return report.series().getOrDefault(key, new Series());
    }

    /** The label, with the name where that says more than the label does. */
    private String title(String name) {
        return report.labels()
                .label(name)
                .map(label -> label.replace(' ', '_').equalsIgnoreCase(name) ? label : label + " (" + name + ")")
                .orElse(name);
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(damage());
        if (!report.series().isEmpty()) {
            lines.add("curves go from each number's min to its max; two characters of a curve are the lowest and the"
                    + " highest value of their steps");
        }
        if (report.replaced() > 0) {
            lines.add(Notes.count(report.replaced(), "value was", "values were")
                    + " reported again for the same step: the last counts");
        }
        if (report.series().values().stream().anyMatch(series -> series.notFinite() > 0)) {
            lines.add("NaN and infinite values are in no curve");
        }
        if (report.stepless() > 0) {
            lines.add(Notes.count(report.stepless(), "report has", "reports have") + " no finite step: left out");
        }
        return lines;
    }

    @Override
    public void json(JsonGenerator json) {
        Json.text(json, "journal", report.journal().toString());
        json.writeNumberProperty("damaged_lines", report.damagedLines());
        RowJson.losses(json, report.losses());
        json.writeNumberProperty("reports", report.reports());
        json.writeNumberProperty("reports_without_step", report.stepless());
        json.writeArrayPropertyStart("metrics");
        report.series().forEach((key, series) -> {
            json.writeStartObject();
            names(key).forEach((field, text) -> Json.text(json, field, text));
            figures(series).forEach((field, value) -> RowJson.number(json, field, value));
            numbers(json, "steps", series.all().keySet());
            numbers(json, "values", series.all().values());
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void numbers(JsonGenerator json, String name, Iterable<Double> numbers) {
        json.writeArrayPropertyStart(name);
        for (double number : numbers) {
            if (Double.isFinite(number)) {
                json.writeNumber(number);
            } else {
                json.writeNull();
            }
        }
        json.writeEndArray();
    }

    @Override
    public void csv(PrintWriter out) {
        Set<String> names = names(new SeriesKey("", "", "")).keySet();
        ReportCsv.line(out, Stream.concat(names.stream(), figures(new Series()).keySet().stream()));
        report.series()
                .forEach((key, series) -> ReportCsv.line(
                        out,
                        names(key).values().stream()
                                .map(text -> text == null ? "" : text)
                                .toList(),
                        figures(series).values()));
    }

    private Map<String, @Nullable String> names(SeriesKey key) {
        Map<String, @Nullable String> names = new LinkedHashMap<>();
        names.put("category", key.category());
        names.put("step_field", key.stepField());
        names.put("name", key.name());
        names.put("label", report.labels().label(key.name()).orElse(null));
        return names;
    }

    private static Map<String, @Nullable Number> figures(Series series) {
        Map<String, @Nullable Number> figures = new LinkedHashMap<>();
        figures.put("points", (long) series.all().size());
        figures.put("not_finite", series.notFinite());
        figures.put("replaced", series.replaced());
        figures.put("first_step", series.all().isEmpty() ? null : series.all().firstKey());
        figures.put("last_step", series.all().isEmpty() ? null : series.all().lastKey());
        figures.put("first", finite(series.first()));
        figures.put("last", finite(series.last()));
        figures.put("min", finite(series.min()));
        figures.put("max", finite(series.max()));
        return figures;
    }

    private static @Nullable Double finite(double value) {
        return Double.isNaN(value) ? null : value;
    }

    @Override
    public List<String> damage() {
        return Notes.damage(report.source(), "");
    }
}
