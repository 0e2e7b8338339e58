package dev.rlm.sinks.mlflow.rest;

import dev.rlm.sinks.event.Content;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON as the server speaks it, to and from maps, lists, strings, booleans, {@code null} and numbers, which are
 * {@link Long} where they are whole and {@link Double} else. NaN and infinities are the strings {@code "NaN"},
 * {@code "Infinity"} and {@code "-Infinity"}, half a surrogate pair is U+FFFD.
 */
public final class Json {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private Json() {}

    /** The object in UTF-8. */
    public static byte[] bytes(Map<String, ?> object) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(object, json);
        }
        return Content.wellFormed(text.toString()).getBytes(StandardCharsets.UTF_8);
    }

    private static void write(@Nullable Object value, JsonGenerator json) {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            map.forEach((name, each) -> {
                json.writeName(String.valueOf(name));
                write(each, json);
            });
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            list.forEach(each -> write(each, json));
            json.writeEndArray();
        } else {
            writeLeaf(value, json);
        }
    }

    private static void writeLeaf(@Nullable Object value, JsonGenerator json) {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number && Double.isFinite(number)) {
            json.writeNumber(number);
        } else {
            json.writeString(value.toString());
        }
    }

    /** The object that the bytes hold; nothing where they are none. */
    public static Optional<Map<String, @Nullable Object>> read(byte[] bytes) {
        try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
            return json.nextToken() == JsonToken.START_OBJECT ? Optional.of(object(json)) : Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private static Map<String, @Nullable Object> object(JsonParser json) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
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
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case VALUE_NUMBER_INT ->
                json.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? (Object) json.getDoubleValue()
                        : (Object) json.getLongValue();
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            default -> json.getString();
        };
    }

    /** Returns the objects of that list; none where there is no such list. */
    public static List<? extends Map<?, ?>> list(Map<?, ?> parent, String name) {
        return parent.get(name) instanceof List<?> list
                ? list.stream()
                        .map(each -> each instanceof Map<?, ?> object ? object : Map.of())
                        .toList()
                : List.of();
    }
}
