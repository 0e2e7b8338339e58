package dev.rlm.journal.report;

import dev.rlm.cli.terminal.Json;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes the figures of some runs, and where the runs come from. */
final class RowJson {
    private RowJson() {}

    static void source(JsonGenerator json, Report.Source source) {
        Json.text(json, "journal", source.journal().toString());
        json.writeNumberProperty("journal_runs", source.runs());
        json.writeNumberProperty("chosen_runs", source.chosen());
        json.writeNumberProperty("superseded_runs", source.superseded());
        json.writeNumberProperty("damaged_lines", source.damagedLines());
        json.writeNumberProperty("damaged_events", source.damagedEvents());
        losses(json, source.losses());
    }

    /** What sinks have lost. */
    static void losses(JsonGenerator json, List<SinkLosses> losses) {
        json.writeArrayPropertyStart("losses");
        for (SinkLosses sink : losses) {
            json.writeStartObject();
            Json.text(json, "sink", sink.sink());
            json.writeNumberProperty("offered", sink.offered());
            json.writeObjectPropertyStart("lost");
            sink.lost().forEach(json::writeNumberProperty);
            json.writeEndObject();
            json.writeArrayPropertyStart("writers");
            sink.writers().forEach(json::writeString);
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    static void write(JsonGenerator json, RowFigures row, List<Integer> ks) {
        RowFields.of(row).forEach((name, value) -> number(json, name, value));
        json.writeArrayPropertyStart("pass");
        ks.forEach(k -> pass(json, k, row.passes()));
        json.writeEndArray();
        json.writeArrayPropertyStart("components");
        row.rewards().components().forEach((key, component) -> component(json, key, component));
        json.writeEndArray();
        absences(json, row.rewards());
        ends(json, row.runs());
    }

    private static void absences(JsonGenerator json, RewardFigures rewards) {
        json.writeArrayPropertyStart("absences");
        rewards.absences().forEach(absence -> {
            json.writeStartObject();
            Json.text(json, "reason", absence.getKey());
            json.writeNumberProperty("rewards", absence.getValue());
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void ends(JsonGenerator json, RunCounts runs) {
        json.writeArrayPropertyStart("ends");
        runs.ends().forEach(end -> {
            String reason = end.getKey().reason();
            json.writeStartObject();
            Json.text(json, "state", end.getKey().state());
            Json.text(json, "reason", reason.isEmpty() ? null : reason);
            json.writeNumberProperty("runs", end.getValue().total());
            messages(json, "messages", end.getValue());
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    /** Writes what was said of runs, but for those of which nothing was. */
    private static void messages(JsonGenerator json, String name, MessageGroups messages) {
        json.writeArrayPropertyStart(name);
        messages.counts().stream().filter(message -> !message.text().isEmpty()).forEach(message -> {
            json.writeStartObject();
            Json.text(json, "message", message.text());
            json.writeNumberProperty("runs", message.messages());
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    private static void pass(JsonGenerator json, int k, PassFigures passes) {
        Estimate any = passes.groups().anyOf(k);
        Estimate all = passes.groups().allOf(k);
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

    static void number(JsonGenerator json, String name, @Nullable Number value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else if (value instanceof Double number) {
            Json.number(json, name, number);
        } else {
            json.writeNumberProperty(name, value.longValue());
        }
    }
}
