package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.Content;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The fields of a JSON object that was read. A field that must be there and is not, or is of another kind, is a
 * {@link RuntimeException}: the line is damaged.
 */
record Fields(Map<String, @Nullable Object> values) {
    /** The object on a line. */
    static Fields parse(byte[] bytes, int from, int length) {
        try (JsonParser json = Json.parser(bytes, from, length)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("not an object");
            }
            Fields fields = new Fields(object(json));
            if (json.nextToken() != null) {
                throw new IllegalArgumentException("more than an object");
            }
            return fields;
        }
    }

    private static Map<String, @Nullable Object> object(JsonParser json) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            json.nextToken();
            object.put(name, value(json));
        }
        return object;
    }

    private static List<@Nullable Object> list(JsonParser json) {
        List<@Nullable Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            list.add(value(json));
        }
        return list;
    }

    private static @Nullable Object value(JsonParser json) {
        return switch (json.currentToken()) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> list(json);
            case VALUE_STRING -> json.getString();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getNumberValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IllegalArgumentException("no value");
        };
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String text(String name) {
        return (String) required(name);
    }

    @Nullable
    String optionalText(String name) {
        return (String) values.get(name);
    }

    Content content(String name) {
        String text = text(name);
        return text.isEmpty() ? Content.EMPTY : Content.redacted(text);
    }

    @Nullable
    Content optionalContent(String name) {
        return has(name) ? content(name) : null;
    }

    long number(String name) {
        return ((Number) required(name)).longValue();
    }

    long number(String name, long absent) {
        return has(name) ? number(name) : absent;
    }

    int integer(String name) {
        return Math.toIntExact(number(name));
    }

    int integer(String name, int absent) {
        return has(name) ? integer(name) : absent;
    }

    @Nullable
    Long optionalNumber(String name) {
        return has(name) ? number(name) : null;
    }

    @Nullable
    Integer optionalInteger(String name) {
        return has(name) ? integer(name) : null;
    }

    double decimal(String name) {
        return decimal(required(name));
    }

    private static double decimal(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        return switch ((String) Objects.requireNonNull(value)) {
            case "NaN" -> Double.NaN;
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> throw new IllegalArgumentException("not a number");
        };
    }

    boolean flag(String name) {
        return (Boolean) required(name);
    }

    Instant time(String name) {
        return Instant.parse(text(name));
    }

    /** An object; without fields where it is absent. */
    Fields object(String name) {
        return has(name) ? asFields(required(name)) : new Fields(Map.of());
    }

    /** A list of objects; empty where it is absent. */
    List<Fields> objects(String name) {
        return list(name).stream().map(Fields::asFields).toList();
    }

    /** A list of whole numbers; empty where it is absent. */
    List<Integer> integers(String name) {
        return list(name).stream()
                .map(value -> ((Number) Objects.requireNonNull(value)).intValue())
                .toList();
    }

    /** A list of numbers; empty where it is absent. */
    List<Double> decimals(String name) {
        return list(name).stream().map(Fields::decimal).toList();
    }

    /** The fields as numbers. */
    Map<String, Double> decimals() {
        Map<String, Double> numbers = new LinkedHashMap<>();
        values.forEach((name, value) -> numbers.put(name, decimal(value)));
        return numbers;
    }

    /** The fields as whole numbers. */
    Map<String, Long> numbers() {
        Map<String, Long> numbers = new LinkedHashMap<>();
        values.forEach((name, value) -> numbers.put(name, ((Number) Objects.requireNonNull(value)).longValue()));
        return numbers;
    }

    /** The fields as objects. */
    Map<String, Fields> objects() {
        Map<String, Fields> objects = new LinkedHashMap<>();
        values.forEach((name, value) -> objects.put(name, asFields(value)));
        return objects;
    }

    /** The fields as text. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((name, value) -> texts.put(name, (String) Objects.requireNonNull(value)));
        return texts;
    }

    @SuppressWarnings("unchecked") // made by list() above
    private List<@Nullable Object> list(String name) {
        return has(name) ? (List<@Nullable Object>) required(name) : List.of();
    }

    @SuppressWarnings("unchecked") // made by object() above
    private static Fields asFields(@Nullable Object value) {
        return new Fields((Map<String, @Nullable Object>) Objects.requireNonNull(value));
    }

    private Object required(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no field " + name);
        }
        return value;
    }
}
