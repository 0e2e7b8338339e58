package dev.rlm.runs.report.health;

import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.Numbers;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.runs.health.Criterion;
import dev.rlm.runs.health.Finding;
import dev.rlm.runs.health.HealthRule;
import dev.rlm.runs.health.Training;
import dev.rlm.runs.report.curves.TrainingForms;
import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import dev.rlm.sinks.schema.UsualMetric;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Findings of all rules about a training.
 *
 * @param bounds of the rules
 * @param failOn what makes the command fail
 */
public record HealthForms(
        Report.Source source,
        HealthRecord record,
        TrainingForms numbers,
        Map<HealthRule, Double> bounds,
        Map<HealthRule, Finding> findings,
        List<Criterion> criteria,
        List<FailOn> failOn)
        implements Forms {
    private static final int SHOWN = 5;
    private static final String EVALUATOR = "evaluator";
    private static final String GATE = "--fail-on: ";

    /** Asks the rules; those of which no other bound is set decide by their own. */
    public static HealthForms of(
            Report.Source source,
            HealthRecord record,
            TrainingForms numbers,
            Map<HealthRule, Double> set,
            List<FailOn> failOn) {
        Training training = record.training();
        numbers.series()
                .forEach((key, series) -> numbers.labels()
                        .metric(key.name())
                        .map(metric -> key.category().equals(EVALUATOR) ? metric.validated() : metric)
                        .ifPresent((UsualMetric metric) -> training.report(metric, key.name(), series.finite())));
        training.lose("damaged_lines", Math.max(source.damagedLines(), source.damagedEvents()));
        source.losses()
                .forEach(losses -> losses.lost().values().forEach(lost -> training.lose("by_" + losses.sink(), lost)));
        Map<HealthRule, Finding> findings = new EnumMap<>(HealthRule.class);
        Map<HealthRule, Double> bounds = new EnumMap<>(HealthRule.class);
        for (HealthRule rule : HealthRule.values()) {
            double bound = set.getOrDefault(rule, rule.bound());
            bounds.put(rule, bound);
            findings.put(rule, rule.of(training, bound));
        }
        return new HealthForms(source, record, numbers, bounds, findings, Criterion.of(training), failOn);
    }

    @Override
    public Optional<String> failure() {
        Map<HealthRule, Finding> asked = new EnumMap<>(findings);
        asked.keySet()
                .removeIf(rule -> failOn.stream().noneMatch(on -> on.rules().contains(rule)));
        if (!asked.isEmpty() && asked.values().stream().noneMatch(Finding::isKnown)) {
            int more = asked.size() - SHOWN;
            throw new UsageException(GATE + "nothing was looked at: " + subject() + ": "
                    + asked.entrySet().stream()
                            .limit(SHOWN)
                            .map(rule -> rule.getKey().word() + " " + text(rule.getValue()))
                            .collect(Collectors.joining("; "))
                    + (more > 0 ? "; " + more + " more" : ""));
        }
        asked.values().removeIf(finding -> !finding.isFound());
        return asked.isEmpty()
                ? Optional.empty()
                : Optional.of(GATE + "found "
                        + asked.entrySet().stream()
                                .map(rule -> rule.getKey().word() + " " + found(rule.getKey(), rule.getValue()))
                                .collect(Collectors.joining("; ")));
    }

    /** Returns what was looked at. */
    private String subject() {
        return record.runs() + " of " + source.runs() + " runs and "
                + Counted.of(numbers.reports(), "report", "reports") + " of numbers of training in "
                + source.journal();
    }

    @Override
    public void print(Sheet sheet) {
        sheet.line(subject());
        Grid grid = new Grid(Stream.of("rule", "verdict", "figures"));
        findings.forEach((rule, finding) -> grid.row(row(rule, finding)));
        sheet.grid("Health", grid);
        findings.forEach((rule, finding) -> {
            if (finding.isFound()) {
                print(rule, finding, sheet);
            }
        });
        Grid healthy = new Grid(Stream.of("criterion"), "value", "healthy from=low", "to=high", "is=met");
        criteria.forEach(criterion -> healthy.row(fields(criterion)));
        sheet.grid("Criteria of health", healthy);
        notes().forEach(sheet::line);
        damage().forEach(sheet::line);
    }

    /** Returns the figures of a fault that was found, and the bound that the rule decided by. */
    private String found(HealthRule rule, Finding finding) {
        String figures = text(finding);
        return figures + (figures.isEmpty() ? "" : ", ") + "bound " + Numbers.rounded(bound(rule));
    }

    private double bound(HealthRule rule) {
        return bounds.getOrDefault(rule, rule.bound());
    }

    private void print(HealthRule rule, Finding finding, Sheet sheet) {
        sheet.heading(rule.word().replace('_', ' '));
        sheet.line(found(rule, finding));
        sheet.line("what to do: " + rule.advice());
        if (!finding.runs().isEmpty()) {
            int more = finding.runs().size() - SHOWN;
            sheet.line("runs: " + finding.runs().stream().limit(SHOWN).collect(Collectors.joining(", "))
                    + (more > 0 ? " … (" + more + " more with --json)" : ""));
        }
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(Notes.superseded(source));
        String axis = record.axis().word();
        if (record.runs() > 0 && !axis.equals("train_step")) {
            lines.add("runs tell no train step: their steps here are "
                    + (axis.equals("order") ? "twenty parts of the order in which they started" : "policy versions"));
        }
        if (record.trainings() > 1) {
            lines.add("the runs are of " + record.trainings()
                    + " experiments or trainers' runs, which are taken as one training: choose one with --experiment, and"
                    + " its numbers with --since");
        }
        return lines;
    }

    private static NamedFigures row(HealthRule rule, Finding finding) {
        String verdict = switch (finding.verdict()) {
            case FOUND -> "found";
            case CLEAR -> "clear";
            case UNKNOWN -> "unknown";
        };
        return new NamedFigures()
                .put("rule", rule.word(), rule.word().replace('_', ' '))
                .put("verdict", verdict, verdict.equals("unknown") ? "cannot be told" : verdict)
                .put("needs", finding.needs().isEmpty() ? null : finding.needs())
                .put("figures", text(finding));
    }

    /** The figures in one line, such as {@code kl 0.02 to 0.4, since 40}, or what is missing. */
    private static String text(Finding finding) {
        if (!finding.needs().isEmpty()) {
            return "needs " + finding.needs();
        }
        StringBuilder text = new StringBuilder();
        finding.figures().forEach((name, figure) -> {
            String value = figure instanceof Number number ? Numbers.rounded(number.doubleValue()) : figure.toString();
            if (name.endsWith("_last") && finding.figures().containsKey(name.replaceFirst("_last$", "_first"))) {
                text.append(" to ").append(value);
            } else {
                String title = name.replaceFirst("_first$", "").replace('_', ' ');
                text.append(text.isEmpty() ? "" : ", ")
                        .append(title)
                        .append(' ')
                        .append(value);
            }
        });
        return text.toString();
    }

    private static NamedFigures fields(Criterion criterion) {
        String met = criterion.isKnown() ? criterion.isMet() ? "met" : "missed" : "unknown";
        boolean bounded = Double.isFinite(criterion.high());
        String high = bounded ? Numbers.rounded(criterion.high()) : "…";
        return new NamedFigures()
                .put("criterion", criterion.name(), criterion.name().replace('_', ' '))
                .put("value", criterion.value(), Numbers.rounded(criterion.value()))
                .put("low", criterion.low(), Numbers.rounded(criterion.low()))
                .put("high", bounded ? criterion.high() : null, high)
                .put("met", met);
    }

    @Override
    public NamedFigures json() {
        return source.fields()
                .put("runs", record.runs())
                .put("reports", numbers.reports())
                .put("steps", record.axis().word())
                .put("health", findings.entrySet().stream().map(entry -> json(entry.getKey(), entry.getValue())))
                .put("criteria", criteria.stream().map(HealthForms::fields));
    }

    private NamedFigures json(HealthRule rule, Finding finding) {
        NamedFigures figures = new NamedFigures();
        finding.figures().forEach(figures::put);
        return row(rule, finding)
                .put("figures", figures)
                .put("bound", bound(rule))
                .put("runs", finding.runs().stream())
                .put("advice", rule.advice());
    }

    @Override
    public Stream<NamedFigures> csv() {
        List<NamedFigures> lines = new ArrayList<>();
        findings.forEach((rule, finding) -> lines.add(row(rule, finding)));
        return Stream.concat(Stream.of(lines.get(0)), lines.stream());
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}
