package dev.rlm.runs;

import dev.rlm.cli.terminal.Printable;
import dev.rlm.json.Json;
import dev.rlm.runs.RunDiff.Change;
import dev.rlm.runs.RunDiff.Row;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Form of a comparison for programs: an object with the facts, then one a line and step. */
final class DiffJson {
    private static final String HERE = "this_side";
    private static final String THERE = "other_side";
    private static final double NANOS = 1e9;

    private DiffJson() {}

    static void print(RunDiff diff, PrintWriter out) {
        Map<String, Object> facts = new LinkedHashMap<>();
        for (String name : diff.facts()) {
            Object here = plain(diff.here().get(name));
            Object there = plain(diff.there().get(name));
            facts.put(name, sides(here, there, "differs", !Objects.equals(here, there)));
        }
        Map<String, Object> counts = new LinkedHashMap<>();
        for (Change change : Change.values()) {
            counts.put(name(change), diff.count(change));
        }
        Map<String, @Nullable Object> head = new LinkedHashMap<>();
        Row first = diff.firstDivergence();
        head.put("first_divergence", first == null ? null : (Integer) first.number());
        head.put("facts", facts);
        head.put("steps", counts);
        line(head, out);
        for (Row row : diff.steps()) {
            Map<String, @Nullable Object> step = new LinkedHashMap<>();
            step.put("change", name(row.change()));
            step.put("differing", row.change() == Change.CHANGED ? row.differing() : null);
            step.put(HERE, step(row.here()));
            step.put(THERE, step(row.there()));
            line(step, out);
        }
    }

    private static Map<String, @Nullable Object> sides(
            @Nullable Object here, @Nullable Object there, String name, Object value) {
        Map<String, @Nullable Object> sides = new LinkedHashMap<>();
        sides.put(HERE, here);
        sides.put(THERE, there);
        sides.put(name, value);
        return sides;
    }

    private static @Nullable Map<String, Object> step(@Nullable StepSide step) {
        if (step == null) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("step", step.number());
        fields.putAll(step.values());
        return fields;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        return value instanceof Duration length ? (Object) (length.toNanos() / NANOS) : value;
    }

    private static String name(Change change) {
        return change.name().toLowerCase(Locale.ROOT);
    }

    private static void line(Map<String, ?> object, PrintWriter out) {
        out.println(Printable.json(Json.text(object)));
    }
}
