package dev.rlm.journal.report;

import dev.rlm.cli.terminal.Json;
import dev.rlm.sinks.schema.statistics.Group;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** Writes the whole report as one JSON object; {@code docs/report.md} names what is in it. */
final class ReportJson {
    private final Report report;
    private final int worst;

    ReportJson(Report report, int worst) {
        this.report = report;
        this.worst = worst;
    }

    void write(JsonGenerator json) {
        RowJson.source(json, report.source());
        json.writeArrayPropertyStart("by");
        report.by().forEach(dimension -> json.writeString(dimension.field()));
        json.writeEndArray();
        pass(json);
        json.writeObjectPropertyStart("all");
        RowJson.write(json, report.here().all(), report.ks());
        json.writeEndObject();
        rows(json);
        tools(json);
        flatGroups(json);
        samples(json);
        Report.Against against = report.against();
        if (against == null) {
            json.writeNullProperty("against");
        } else {
            ComparisonJson.write(json, against, report.ks());
        }
    }

    private void pass(JsonGenerator json) {
        PassRule rule = report.rule();
        Json.text(
                json,
                "pass_on",
                rule.reward() == null ? "recorded" : rule.on().name().toLowerCase(Locale.ROOT));
        RowJson.number(json, "pass_reward", rule.reward());
    }

    private void rows(JsonGenerator json) {
        json.writeArrayPropertyStart("rows");
        report.here().rows().forEach((key, row) -> {
            json.writeStartObject();
            key(json, report.here().dimensions(), key.values());
            RowJson.write(json, row, report.ks());
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    /** Writes what a row is of. */
    static void key(JsonGenerator json, List<Dimension> dimensions, List<String> values) {
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i);
            Json.text(json, dimensions.get(i).field(), value.isEmpty() ? null : value);
        }
    }

    private void tools(JsonGenerator json) {
        json.writeArrayPropertyStart("tools");
        for (ToolRow row : ToolRow.of(report)) {
            json.writeStartObject();
            key(json, ToolRow.dimensions(report), row.names());
            RowFields.of(row.calls()).forEach((name, value) -> RowJson.number(json, name, value));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void flatGroups(JsonGenerator json) {
        json.writeArrayPropertyStart("groups_without_signal");
        for (Map.Entry<GroupKey, Group> entry : report.here().all().passes().groupsWithoutSignal()) {
            GroupKey key = entry.getKey();
            json.writeStartObject();
            sample(json, key.sample());
            Json.text(json, "model", key.model());
            Json.text(json, "policy_version", key.policyVersion());
            Json.text(json, "experiment", key.experiment());
            Json.text(json, "trainer_run", key.trainerRun());
            RowJson.number(json, "epoch", key.epoch());
            RowJson.number(json, "train_step", key.trainStep());
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
}
