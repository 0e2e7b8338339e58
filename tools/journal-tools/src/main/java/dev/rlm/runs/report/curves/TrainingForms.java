package dev.rlm.runs.report.curves;

import dev.rlm.cli.Period;
import dev.rlm.cli.recorded.Numbers;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.journal.Journal;
import dev.rlm.runs.report.figures.SinkLosses;
import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.schema.MetricLabels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of training in a journal, from all that reported some: one name is one series. People see curves; JSON has
 * all points.
 *
 * @param reports how many times numbers were reported
 * @param stepless how many of these are in no series, because their step is not finite
 */
public record TrainingForms(
        Path journal,
        long damagedLines,
        List<SinkLosses> losses,
        long reports,
        long stepless,
        SortedMap<SeriesKey, Series> series,
        MetricLabels labels)
        implements Forms {
    public TrainingForms {
        series = Collections.unmodifiableSortedMap(series);
    }

    /** Returns the report of the numbers that were reported in that time. */
    public static TrainingForms of(Journal journal, Period period, MetricLabels labels) {
        List<MetricsReported> reports = journal.metrics().stream()
                .filter(report -> period.contains(report.time()))
                .sorted(Comparator.comparing(MetricsReported::time))
                .toList();
        SortedMap<SeriesKey, Series> series = new TreeMap<>();
        long stepless = reports.stream().filter(report -> !add(series, report)).count();
        return new TrainingForms(
                journal.directory(),
                journal.damagedLines(),
                SinkLosses.of(journal),
                reports.size(),
                stepless,
                series,
                labels);
    }

    private static boolean add(SortedMap<SeriesKey, Series> series, MetricsReported report) {
        double step = report.values().getOrDefault(report.stepField(), Double.NaN);
        if (!Double.isFinite(step)) {
            return false;
        }
        report.values().forEach((name, value) -> {
            if (!name.equals(report.stepField())) {
                SeriesKey key = new SeriesKey(report.category(), report.stepField(), name);
                series.computeIfAbsent(key, unknown -> new Series()).add(step + 0.0, value); // there is no step -0
            }
        });
        return true;
    }

    @Override
    public void print(Sheet sheet) {
        if (reports == 0) {
            sheet.line("no numbers of training in " + journal);
        } else {
            sheet.line(Counted.of(reports, "report", "reports") + " of numbers of training in " + journal);
            sections().forEach(section -> print(section, sheet));
        }
        notes().forEach(sheet::line);
    }

    /** Numbers of one category that were reported by the same kind of step share an axis. */
    private List<List<SeriesKey>> sections() {
        List<List<SeriesKey>> sections = new ArrayList<>();
        for (SeriesKey key : series.keySet()) {
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
        Grid grid = new Grid(Stream.of("number"), "points", "not_finite", "first", "last", "min", "max", "curve")
                .leaveOut("points", "first", "not finite", "min", "max");
        section.forEach(key -> grid.row(line(key, of(key))
                .put("number", title(key.name()))
                .put("curve", curve.of(of(key).finite(), sheet.marks()))));
        SeriesKey first = section.get(0);
        sheet.grid(
                first.category() + ", " + first.stepField() + " " + Numbers.rounded(steps.first()) + " to "
                        + Numbers.rounded(steps.last()),
                grid);
    }

    private Series of(SeriesKey key) {
        return series.getOrDefault(key, new Series());
    }

    /** The label, with the name where that says more than the label does. */
    private String title(String name) {
        return labels.label(name)
                .map(label -> label.replace(' ', '_').equalsIgnoreCase(name) ? label : label + " (" + name + ")")
                .orElse(name);
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(damage());
        if (!series.isEmpty()) {
            lines.add("curves go from each number's min to its max; two characters of a curve are the lowest and the"
                    + " highest value of their steps");
        }
        long replaced = series.values().stream().mapToLong(Series::replaced).sum();
        String last = " reported again for the same step: the last counts";
        lines.addAll(Notes.note(replaced, "value was", "values were", last));
        if (series.values().stream().anyMatch(series -> series.notFinite() > 0)) {
            lines.add("NaN and infinite values are in no curve");
        }
        lines.addAll(Notes.note(stepless, "report has", "reports have", " no finite step: left out"));
        return lines;
    }

    @Override
    public NamedFigures json() {
        return new NamedFigures()
                .put("journal", journal.toString())
                .put("damaged_lines", damagedLines)
                .put("losses", losses.stream().map(SinkLosses::fields))
                .put("reports", reports)
                .put("reports_without_step", stepless)
                .put(
                        "metrics",
                        series.entrySet().stream()
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
    public Stream<NamedFigures> csv() {
        return Stream.concat(
                Stream.of(line(new SeriesKey("", "", ""), new Series())),
                series.entrySet().stream().map(entry -> line(entry.getKey(), entry.getValue())));
    }

    private NamedFigures line(SeriesKey key, Series series) {
        return new NamedFigures()
                .put("category", key.category())
                .put("step_field", key.stepField())
                .put("name", key.name())
                .put("label", labels.label(key.name()).orElse(null))
                .putAll(series.fields());
    }

    @Override
    public List<String> damage() {
        return Notes.damage(new Report.Source(journal, 0, 0, 0, damagedLines, 0, losses), "");
    }
}
