package dev.rlm.runs.exchange.input;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.JsonValues;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings for all runs of an import.
 *
 * @param environment of runs that name none
 * @param passReward the lowest reward of a solved run, for runs that do not say whether they are solved
 * @param path the place of the runs' record; {@code null} if no record is kept
 * @param content text with its secrets taken out when it is read
 * @param now the time that a run without times has
 */
public record ImportDefaults(
        String environment,
        double passReward,
        @Nullable String path,
        Function<String, Content> content,
        Supplier<Instant> now) {
    /** Text that may hold secrets. */
    public Content content(@Nullable String text) {
        return text == null || text.isEmpty() ? Content.EMPTY : content.apply(text);
    }

    /** A name, without secrets. */
    public String name(String text) {
        return content(text).text();
    }

    /** The environment that a line names, else that of all. */
    public String environment(JsonObject line) throws BadRecordException {
        String named = line.text("environment", "");
        return name(named.isBlank() ? environment : named);
    }

    /** Parameters by their names, of which those are left out that are {@code null}, without secrets. */
    public Map<String, Object> known(@Nullable Object... namesAndValues) {
        Map<String, Object> known = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            if (value != null) {
                known.put(String.valueOf(namesAndValues[i]), value);
            }
        }
        return JsonValues.copy(known, this::name);
    }

    /** Parameters, without secrets and without what is absent. */
    public Map<String, Object> values(JsonObject object) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        object.tree().forEachEntry((name, value) -> {
            if (!value.isNull()) {
                values.put(name, Json.values(value));
            }
        });
        return JsonValues.copy(values, this::name);
    }
}
