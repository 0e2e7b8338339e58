package dev.rlm.collector.otlp;

import dev.rlm.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Attributes of a span or an event.
 *
 * @param values by name: texts, numbers, booleans, and lists and maps of them
 */
public record Attributes(Map<String, Object> values) {
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,15}(\\.\\d{1,15})?");

    /**
     * Reads a list of OTLP's keys and values, and takes secrets out of the texts.
     *
     * @param redaction of a text, by the key that it has
     */
    static Attributes of(JsonNode list, BinaryOperator<String> redaction) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (JsonNode each : Json.elements(list)) {
            String key = each.path("key").stringValue("");
            Object value = value(key, each.path("value"), redaction);
            if (value != null) {
                values.put(redaction.apply("", key), value);
            }
        }
        return new Attributes(values);
    }

    private static @Nullable Object value(String key, JsonNode any, BinaryOperator<String> redaction) {
        Map.Entry<String, JsonNode> first =
                any.properties().stream().findFirst().orElse(null);
        if (first == null) {
            return null;
        }
        JsonNode value = first.getValue();
        return switch (first.getKey()) {
            case "stringValue", "bytesValue" -> redaction.apply(key, value.stringValue(""));
            case "boolValue" -> value.booleanValue(false);
            case "intValue" -> wholeOf(value);
            case "doubleValue" -> Json.number(value);
            case "arrayValue" -> list(key, value.path("values"), redaction);
            case "kvlistValue" -> of(value.path("values"), redaction).values();
            default -> null;
        };
    }

    /** Reads what {@link Json} has written of some. */
    static Attributes parse(JsonNode holder) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> each : holder.path("values").properties()) {
            Object value = Json.values(each.getValue());
            if (value != null) {
                values.put(each.getKey(), value instanceof Integer small ? (Object) small.longValue() : value);
            }
        }
        return new Attributes(values);
    }

    /** Returns a whole number, which JSON writes as a text where it has 64 bits. */
    public static @Nullable Long wholeOf(JsonNode value) {
        try {
            return value.isNumber() || value.isString() ? Long.valueOf(value.asString()) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static List<Object> list(String key, JsonNode values, BinaryOperator<String> redaction) {
        List<Object> all = new ArrayList<>();
        for (JsonNode each : Json.elements(values)) {
            Object value = value(key, each, redaction);
            if (value != null) {
                all.add(value);
            }
        }
        return all;
    }

    /** Returns whether there is one of that name. */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** Returns the text of the first of these that there is, lists and maps as JSON. */
    public @Nullable String text(String... names) {
        for (String name : names) {
            Object value = values.get(name);
            if (value != null) {
                return value instanceof List<?> || value instanceof Map<?, ?> ? Json.text(value) : value.toString();
            }
        }
        return null;
    }

    /** Returns the text as {@link #text}; an empty one where there is none. */
    public String textOrEmpty(String... names) {
        String text = text(names);
        return text == null ? "" : text;
    }

    /** Returns the first of these that is a number, or the text of one. */
    public @Nullable Double decimal(String... names) {
        for (String name : names) {
            Object value = values.get(name);
            if (value instanceof Number number) {
                return number.doubleValue();
            } else if (value instanceof String text && NUMBER.matcher(text).matches()) {
                return Double.valueOf(text);
            }
        }
        return null;
    }

    /** Returns the first of these that is a whole number. */
    public @Nullable Long whole(String... names) {
        Double value = decimal(names);
        for (String name : names) {
            if (values.get(name) instanceof Long exact) {
                return exact;
            }
        }
        return value == null ? null : (Long) value.longValue();
    }

    /** Returns a whole number that is not negative, and 0 where there is none. */
    public int count(String name) {
        Long value = whole(name);
        return value == null ? 0 : (int) Math.max(0, Math.min(Integer.MAX_VALUE, value));
    }

    /** Returns those whose names begin so, without the beginning. */
    public Map<String, Object> below(String prefix) {
        Map<String, Object> found = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(prefix) && name.length() > prefix.length()) {
                found.put(name.substring(prefix.length()), value);
            }
        });
        return found;
    }
}
