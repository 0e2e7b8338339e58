package dev.rlm.journal.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
        Grid<Series> grid = new Grid<Series>(List.of("number"))
                .column("points", series -> series.all().size())
                .column("not finite", series -> Numbers.unlessZero(series.notFinite()))
                .column("first", series -> Numbers.rounded(series.first()))
                .column("last", series -> Numbers.rounded(series.last()))
                .column("min", series -> Numbers.rounded(series.min()))
                .column("max", series -> Numbers.rounded(series.max()))
                .column("curve", series -> curve.of(series.finite(), sheet.marks()))
                .leaveOut("points", "first", "not finite", "min", "max");
        section.forEach(key -> grid.row(List.of(title(key.name())), of(key)));
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
    public Fields json() {
        return new Fields()
                .put("journal", report.journal().toString())
                .put("damaged_lines", report.damagedLines())
                .put("losses", report.losses().stream().map(SinkLosses::fields))
                .put("reports", report.reports())
                .put("reports_without_step", report.stepless())
                .put(
                        "metrics",
                        report.series().entrySet().stream()
                                .map(entry -> line(entry.getKey(), entry.getValue())
                                        .put(
                                                "steps",
                                                finite(entry.getValue().all().keySet()))
                                        .put(
                                                "values",
                                                finite(entry.getValue().all().values()))));
    }

    private static Stream<@Nullable Double> finite(Collection<Double> numbers) {
        return numbers.stream().map(number -> Double.isFinite(number) ? number : null);
    }

    @Override
    public Stream<Fields> csv() {
        return Stream.concat(
                Stream.of(line(new SeriesKey("", "", ""), new Series())),
                report.series().entrySet().stream().map(entry -> line(entry.getKey(), entry.getValue())));
    }

    private Fields line(SeriesKey key, Series series) {
        NavigableMap<Double, Double> all = series.all();
        return new Fields()
                .put("category", key.category())
                .put("step_field", key.stepField())
                .put("name", key.name())
                .put("label", report.labels().label(key.name()).orElse(null))
                .put("points", all.size())
                .put("not_finite", series.notFinite())
                .put("replaced", series.replaced())
                .put("first_step", all.isEmpty() ? null : all.firstKey())
                .put("last_step", all.isEmpty() ? null : all.lastKey())
                .put("first", series.first())
                .put("last", series.last())
                .put("min", series.min())
                .put("max", series.max());
    }

    @Override
    public List<String> damage() {
        return Notes.damage(report.source(), "");
    }
}
