package dev.rlm.runner.report;

import dev.rlm.runner.report.statistics.Bootstrap;
import dev.rlm.runner.report.statistics.Estimate;
import dev.rlm.runner.terminal.Json;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes the whole report as one JSON object; {@code docs/report.md} names what is in it. */
final class ReportJson {
    private final Report report;
    private final int worst;

    ReportJson(Report report, int worst) {
        this.report = report;
        this.worst = worst;
    }

    void print(PrintWriter out) {
        Json.print(out, this::write);
    }

    private void write(JsonGenerator json) {
        source(json, report.source());
        json.writeArrayPropertyStart("by");
        report.by().forEach(dimension -> json.writeString(dimension.field()));
        json.writeEndArray();
        pass(json);
        json.writeObjectPropertyStart("all");
        row(json, report.here().all());
        json.writeEndObject();
        rows(json);
        tools(json);
        flatGroups(json);
        samples(json);
        Report.Against against = report.against();
        if (against == null) {
            json.writeNullProperty("against");
        } else {
            against(json, against);
        }
    }

    private static void source(JsonGenerator json, Report.Source source) {
        Json.text(json, "journal", source.journal().toString());
        json.writeNumberProperty("journal_runs", source.runs());
        json.writeNumberProperty("chosen_runs", source.chosen());
        json.writeNumberProperty("superseded_runs", source.superseded());
        json.writeNumberProperty("damaged_lines", source.damagedLines());
        json.writeNumberProperty("damaged_events", source.damagedEvents());
    }

    private void pass(JsonGenerator json) {
        PassRule rule = report.rule();
        Json.text(
                json,
                "pass_on",
                rule.reward() == null ? "recorded" : rule.on().name().toLowerCase(Locale.ROOT));
        number(json, "pass_reward", rule.reward());
    }

    private void rows(JsonGenerator json) {
        json.writeArrayPropertyStart("rows");
        report.here().rows().forEach((key, row) -> {
            json.writeStartObject();
            key(json, report.here().dimensions(), key.values());
            row(json, row);
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void key(JsonGenerator json, List<Dimension> dimensions, List<String> values) {
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i);
            Json.text(json, dimensions.get(i).field(), value.isEmpty() ? null : value);
        }
    }

    private void row(JsonGenerator json, RowFigures row) {
        RowFields.of(row).forEach((name, value) -> number(json, name, value));
        json.writeArrayPropertyStart("pass");
        report.ks().forEach(k -> pass(json, k, row.passes()));
        json.writeEndArray();
        json.writeArrayPropertyStart("components");
        row.rewards().components().forEach((key, component) -> component(json, key, component));
        json.writeEndArray();
        json.writeArrayPropertyStart("absences");
        row.rewards().absences().forEach(absence -> {
            json.writeStartObject();
            Json.text(json, "reason", absence.getKey());
            json.writeNumberProperty("rewards", absence.getValue());
            json.writeEndObject();
        });
        json.writeEndArray();
        json.writeArrayPropertyStart("ends");
        row.runs().ends().forEach(end -> {
            json.writeStartObject();
            Json.text(json, "state", end.getKey().state());
            String reason = end.getKey().reason();
            Json.text(json, "reason", reason.isEmpty() ? null : reason);
            json.writeNumberProperty("runs", end.getValue());
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void pass(JsonGenerator json, int k, PassFigures passes) {
        Estimate any = passes.anyOf(k);
        Estimate all = passes.allOf(k);
        json.writeStartObject();
        json.writeNumberProperty("k", k);
        Json.number(json, "pass_at_k", any.value());
        Json.number(json, "pass_at_k_se", any.error());
        Json.number(json, "pass_hat_k", all.value());
        Json.number(json, "pass_hat_k_se", all.error());
        json.writeNumberProperty("groups", any.count());
        json.writeNumberProperty("samples", any.clusters());
        json.writeEndObject();
    }

    private static void component(
            JsonGenerator json, RewardFigures.ComponentKey key, RewardFigures.Component component) {
        json.writeStartObject();
        Json.text(json, "name", key.name());
        Json.text(json, "unit", key.unit());
        json.writeNumberProperty("given", component.count());
        json.writeNumberProperty("not_finite", component.notFinite());
        Json.number(json, "mean", component.mean());
        Json.number(json, "min_weight", component.minWeight());
        Json.number(json, "max_weight", component.maxWeight());
        json.writeEndObject();
    }

    private void tools(JsonGenerator json) {
        json.writeArrayPropertyStart("tools");
        for (ToolRow row : ToolRow.of(report)) {
            json.writeStartObject();
            key(json, ToolRow.dimensions(report), row.names());
            RowFields.of(row.calls()).forEach((name, value) -> number(json, name, value));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void flatGroups(JsonGenerator json) {
        json.writeArrayPropertyStart("groups_without_signal");
        for (Map.Entry<GroupKey, PassFigures.Group> entry :
                report.here().all().passes().groupsWithoutSignal()) {
            GroupKey key = entry.getKey();
            json.writeStartObject();
            sample(json, key.sample());
            Json.text(json, "model", key.model());
            Json.text(json, "policy_version", key.policyVersion());
            Json.text(json, "experiment", key.experiment());
            Json.text(json, "trainer_run", key.trainerRun());
            number(json, "epoch", key.epoch());
            number(json, "train_step", key.trainStep());
            json.writeNumberProperty("runs", entry.getValue().rewards());
            json.writeNumberProperty("reward", entry.getValue().reward());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void sample(JsonGenerator json, SampleKey sample) {
        Json.text(json, "environment", sample.environment());
        Json.text(json, "split", sample.split().isEmpty() ? null : sample.split());
        Json.text(json, "sample", sample.sample());
    }

    private void samples(JsonGenerator json) {
        json.writeArrayPropertyStart("worst_samples");
        for (SampleFigures sample : report.here().worst(worst)) {
            json.writeStartObject();
            sample(json, sample.sample());
            json.writeNumberProperty("runs", sample.decided());
            json.writeNumberProperty("solved", sample.solved());
            Json.number(json, "mean_reward", sample.meanReward());
            Json.text(json, "run_id", sample.worstRun());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void against(JsonGenerator json, Report.Against against) {
        Comparison comparison = against.comparison();
        json.writeObjectPropertyStart("against");
        Json.text(json, "this_side", against.hereName());
        Json.text(json, "other_side", against.thereName());
        json.writeObjectPropertyStart("other");
        source(json, against.source());
        row(json, against.there().all());
        json.writeEndObject();
        json.writeNumberProperty("samples_this_side_only", comparison.onlyHere());
        json.writeNumberProperty("samples_other_side_only", comparison.onlyThere());
        difference(json, "reward", comparison.reward());
        difference(json, "solved_rate", comparison.solved());
        json.writeNumberProperty("resamples", Bootstrap.RESAMPLES);
        json.writeNumberProperty("level", Bootstrap.LEVEL);
        verdicts(json, comparison.verdicts());
        json.writeEndObject();
    }

    private static void difference(JsonGenerator json, String name, Comparison.Difference difference) {
        json.writeObjectPropertyStart(name);
        Json.number(json, "this_side", difference.here());
        Json.number(json, "other_side", difference.there());
        Json.number(json, "difference", difference.value());
        Json.number(json, "low", difference.interval().low());
        Json.number(json, "high", difference.interval().high());
        json.writeNumberProperty("samples", difference.samples());
        json.writeEndObject();
    }

    private static void verdicts(JsonGenerator json, Comparison.Verdicts verdicts) {
        json.writeObjectPropertyStart("mcnemar");
        json.writeNumberProperty("both", verdicts.both());
        json.writeNumberProperty("this_side_only", verdicts.onlyHere());
        json.writeNumberProperty("other_side_only", verdicts.onlyThere());
        json.writeNumberProperty("neither", verdicts.neither());
        json.writeNumberProperty("ties", verdicts.ties());
        Json.number(json, "p_value", verdicts.pValue());
        json.writeEndObject();
    }

    private static void number(JsonGenerator json, String name, @Nullable Number value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else if (value instanceof Double number) {
            Json.number(json, name, number);
        } else {
            json.writeNumberProperty(name, value.longValue());
        }
    }
}
