package dev.rlm.runs.report.curves;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.curves.CurveKey.Kind;
import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Curves along training or time. People see the means drawn; programs get all points. */
public record CurveForms(Report.Source source, Curves curves) implements Forms {
    @Override
    public void print(Sheet sheet) {
        sheet.line(curves.runs() + " of " + source.runs() + " runs in " + source.journal());
        Map<String, Double> places = places();
        for (Kind kind : Kind.values()) {
            List<CurveKey> keys = keys(kind);
            if (!keys.isEmpty()) {
                print(kind, keys, places, sheet);
            }
        }
        notes().forEach(sheet::line);
        checkpoints(sheet);
    }

    private void checkpoints(Sheet sheet) {
        Grid grid = new Grid(
                        Stream.of("split", "model", "policy_version"),
                        "mean@k=mean_at_k",
                        "k",
                        "samples",
                        "difference",
                        "95 % interval=low",
                        "verdict=surely_worse")
                .leaveOut("k", "samples", "95 % interval");
        curves.checkpoints().stream().filter(Checkpoint::isFromBestOn).forEach(version -> grid.row(version.fields()));
        if (!grid.isEmpty()) {
            sheet.grid("Best checkpoint, and those after it", grid);
            sheet.line(
                    "mean@k: mean reward over samples, of k attempts each, in all splits but train; difference: less the"
                            + " best, over the samples of both; surely worse: the interval, a percentile bootstrap over samples, is"
                            + " below zero, over ten samples or more. The best of many is so by chance in part");
        }
    }

    /** Returns how far to the right each place lies. */
    private Map<String, Double> places() {
        TreeSet<String> sorted = new TreeSet<>(NaturalOrder.INSTANCE);
        curves.all().values().forEach(points -> sorted.addAll(points.keySet()));
        Map<String, Double> places = new HashMap<>();
        sorted.forEach(place -> places.put(place, curves.axis().x(place, places.size())));
        return places;
    }

    private List<CurveKey> keys(Kind kind) {
        return curves.all().keySet().stream().filter(key -> key.kind() == kind).toList();
    }

    private void print(Kind kind, List<CurveKey> keys, Map<String, Double> places, Sheet sheet) {
        TreeMap<Double, String> all = new TreeMap<>();
        keys.forEach(key -> points(key).keySet().forEach(place -> all.put(x(place, places), place)));
        Curve curve = Curve.over(all.firstKey(), all.lastKey(), all.size());
        Grid grid = new Grid(
                        Stream.of("source", "name", "unit"),
                        "points",
                        "values",
                        "not_finite",
                        "first",
                        "last",
                        "min",
                        "max",
                        "sum",
                        "spread",
                        "trend",
                        "curve")
                .leaveOut("points", "values", "sum", "first", "spread", "not finite", "min", "max", "unit", "trend");
        for (CurveKey key : keys) {
            Series means = new Series();
            points(key).forEach((place, point) -> means.add(x(place, places), point.mean()));
            double sum =
                    points(key).values().stream().mapToDouble(CurvePoint::sum).sum();
            grid.row(means.fields()
                    .putAll(row(key, places))
                    .put("sum", sum, Numbers.rounded(sum))
                    .put("curve", curve.of(means.finite(), sheet.marks())));
        }
        sheet.grid(
                kind.title() + ", " + curves.axis().option() + " "
                        + all.firstEntry().getValue() + " to " + all.lastEntry().getValue(),
                grid);
    }

    private static double x(String place, Map<String, Double> places) {
        return Objects.requireNonNull(places.get(place));
    }

    private NavigableMap<String, CurvePoint> points(CurveKey key) {
        return Objects.requireNonNull(curves.all().get(key));
    }

    /** Returns a curve's names, how many values it has, how they spread at a place, and where they tend. */
    private NamedFigures row(CurveKey key, Map<String, Double> places) {
        long values = 0;
        long notFinite = 0;
        long rest = 0; // values that may differ from those at their place
        double squares = 0;
        Moments line = new Moments();
        for (Map.Entry<String, CurvePoint> place : points(key).entrySet()) {
            CurvePoint point = place.getValue();
            values += point.count();
            notFinite += point.notFinite();
            rest += Math.max(0, point.count() - 1);
            squares += point.squares();
            if (point.count() > 0) {
                line.add(x(place.getKey(), places) / curves.axis().unit(), point.mean());
            }
        }
        double spread = rest == 0 ? Double.NaN : Math.sqrt(squares / rest);
        return key.fields()
                .put("values", values)
                .put("not_finite", notFinite, Numbers.unlessZero(notFinite))
                .put("spread", spread, Numbers.rounded(spread))
                .put("trend", line.slope(), trend(line))
                .put("trend_se", line.slopeError());
    }

    private static String trend(Moments line) {
        String slope = (line.slope() > 0 ? "+" : "") + Numbers.rounded(line.slope());
        return Double.isNaN(line.slopeError()) ? slope : slope + " ± " + Numbers.rounded(line.slopeError());
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(damage());
        lines.addAll(Notes.superseded(source));
        String where = " no " + curves.axis().option() + ": in no curve (--x-axis names another)";
        lines.addAll(Notes.note(curves.runsWithoutPlace(), "run tells", "runs tell", where));
        lines.addAll(
                Notes.note(curves.reportsWithoutPlace(), "report of numbers tells", "reports of numbers tell", where));
        if (!curves.all().isEmpty()) {
            lines.add(
                    "curves are of the means at each place, from their min to their max; values are the finite ones, sum"
                            + " is of all of them");
            lines.add("spread is the standard deviation within places; trend is by how much the means grow "
                    + (curves.axis() == Axis.TIME ? "an hour" : "a place")
                    + " (least squares), with its standard error");
        }
        lines.addAll(Notes.note(curves.leftOut(), "value is", "values are", " in no curve: there are too many names"));
        lines.addAll(hints());
        return lines;
    }

    private List<String> hints() {
        return Stream.of(Kind.REWARD_PART, Kind.RUN_METRIC, Kind.REPORTED)
                .flatMap(kind -> NameHints.of(
                        kind.title(),
                        keys(kind).stream()
                                .map(key -> (key.source().isEmpty() ? "" : key.source() + " ") + key.name())
                                .distinct()
                                .toList())
                        .stream())
                .toList();
    }

    @Override
    public NamedFigures json() {
        Map<String, Double> places = places();
        return source.fields()
                .putAll(curves.fields())
                .put(
                        "curves",
                        curves.all().keySet().stream()
                                .map(key -> row(key, places).put("points", pointFields(key))))
                .put("hints", hints().stream())
                .put("checkpoints", curves.checkpoints().stream().map(Checkpoint::fields));
    }

    private Stream<NamedFigures> pointFields(CurveKey key) {
        String place = curves.axis().field();
        return points(key).entrySet().stream()
                .map(point -> new NamedFigures()
                        .put(place, curves.axis().value(point.getKey()))
                        .putAll(point.getValue().fields()));
    }

    /** A line for each point. */
    @Override
    public Stream<NamedFigures> csv() {
        NamedFigures head = new CurveKey(Kind.RUN, "", "")
                .fields()
                .put(curves.axis().field(), null)
                .putAll(new CurvePoint().fields());
        return Stream.concat(
                Stream.of(head),
                curves.all().keySet().stream()
                        .flatMap(key ->
                                pointFields(key).map(point -> key.fields().putAll(point))));
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}
