package dev.rlm.journal.report;

import dev.rlm.cli.terminal.Json;
import dev.rlm.sinks.schema.statistics.Bootstrap;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** Writes how two sides compare. */
final class ComparisonJson {
    private ComparisonJson() {}

    static void write(JsonGenerator json, Report.Against against, List<Integer> ks) {
        Comparison comparison = against.comparison();
        json.writeObjectPropertyStart("against");
        Json.text(json, "this_side", against.hereName());
        Json.text(json, "other_side", against.thereName());
        json.writeObjectPropertyStart("other");
        RowJson.source(json, against.source());
        RowJson.write(json, against.there().all(), ks);
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
}
