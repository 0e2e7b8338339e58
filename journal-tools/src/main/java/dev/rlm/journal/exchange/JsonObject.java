package dev.rlm.journal.exchange;

import dev.rlm.cli.json.JsonTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/** A JSON object that somebody else wrote: each field is asked for by its kind, and may be absent or {@code null}. */
record JsonObject(Map<String, @Nullable Object> values) {
    // NaN and Infinity are no JSON, but what Python and others write; of two rewards in a line one would be lost.
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    /** The object that is all of a line in UTF-8. */
    static JsonObject parse(byte[] bytes, int from, int length) throws BadRecordException {
        try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), bytes, from, length)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new BadRecordException("a JSON object");
            }
            JsonObject object = new JsonObject(JsonTree.members(json));
            if (json.nextToken() != null) {
                throw new BadRecordException("one JSON object, found more behind it");
            }
            return object;
        } catch (JacksonException e) {
            String reason = e.getOriginalMessage();
            throw new BadRecordException("a JSON object, found: "
                    + String.valueOf(reason).lines().findFirst().orElse(""));
        }
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    @Nullable
    Object get(String name) {
        return values.get(name);
    }

    /** A text; a number counts as one, since ids often are. */
    @Nullable
    String text(String name) throws BadRecordException {
        Object value = values.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        } else if (value instanceof Number) {
            return value.toString();
        }
        throw new BadRecordException("\"" + name + "\" to be a text");
    }

    String text(String name, String absent) throws BadRecordException {
        String text = text(name);
        return text == null ? absent : text;
    }

    @Nullable
    Integer integer(String name) throws BadRecordException {
        Long number = number(name);
        if (number != null && number != number.intValue()) {
            throw new BadRecordException("\"" + name + "\" to be a smaller number");
        }
        return number == null ? null : number.intValue();
    }

    @Nullable
    Long number(String name) throws BadRecordException {
        Object value = values.get(name);
        if (value == null) {
            return null;
        } else if (value instanceof Integer || value instanceof Long) {
            return ((Number) value).longValue();
        }
        throw new BadRecordException("\"" + name + "\" to be a whole number");
    }

    @Nullable
    Double decimal(String name) throws BadRecordException {
        Object value = values.get(name);
        if (value == null) {
            return null;
        } else if (value instanceof Number number) {
            return number.doubleValue();
        } else if (value instanceof String text && JsonTree.NOT_FINITE.contains(text)) {
            return Double.valueOf(text);
        }
        throw new BadRecordException("\"" + name + "\" to be a number");
    }

    @Nullable
    Boolean flag(String name) throws BadRecordException {
        Object value = values.get(name);
        if (value == null || value instanceof Boolean) {
            return (Boolean) value;
        }
        throw new BadRecordException("\"" + name + "\" to be true or false");
    }

    /** An object; an empty one where it is absent. */
    JsonObject object(String name) throws BadRecordException {
        Object value = values.get(name);
        return value == null ? new JsonObject(Map.of()) : object(value, "\"" + name + "\"");
    }

    /** The objects of a list; none where it is absent. */
    List<JsonObject> objects(String name) throws BadRecordException {
        List<JsonObject> objects = new ArrayList<>();
        for (Object element : list(name)) {
            objects.add(object(element, "all of \"" + name + "\""));
        }
        return objects;
    }

    /** A list; an empty one where it is absent. */
    @SuppressWarnings("unchecked") // made by JsonTree
    List<@Nullable Object> list(String name) throws BadRecordException {
        Object value = values.get(name);
        if (value == null) {
            return List.of();
        } else if (value instanceof List<?>) {
            return (List<@Nullable Object>) value;
        }
        throw new BadRecordException("\"" + name + "\" to be a list");
    }

    @SuppressWarnings("unchecked") // made by JsonTree
    static JsonObject object(@Nullable Object value, String name) throws BadRecordException {
        if (value instanceof Map<?, ?>) {
            return new JsonObject((Map<String, @Nullable Object>) value);
        }
        throw new BadRecordException(name + " to be a JSON object");
    }
}
