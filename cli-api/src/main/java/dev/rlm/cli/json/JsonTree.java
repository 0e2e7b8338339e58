package dev.rlm.cli.json;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/** JSON as maps, lists, strings, numbers, booleans and {@code null}. */
public final class JsonTree {
    /** What is written for numbers that JSON does not have. */
    public static final List<String> NOT_FINITE = List.of("NaN", "Infinity", "-Infinity");

    // Servers write NaN and -Infinity for log probabilities; a text of any length is read, since who asks bounds it.
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private JsonTree() {}

    /**
     * Reads an object that is all of a text.
     *
     * @throws JacksonException if it is none
     */
    public static Map<String, @Nullable Object> object(String text) throws JacksonException {
        try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new StreamReadException(json, "no JSON object");
            }
            Map<String, @Nullable Object> object = members(json);
            if (json.nextToken() != null) {
                throw new StreamReadException(json, "more after the JSON object");
            }
            return object;
        }
    }

    /** Reads the members of the object that the parser has come to. */
    public static Map<String, @Nullable Object> members(JsonParser json) throws JacksonException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            json.nextToken();
            members.put(name, value(json));
        }
        return members;
    }

    private static List<@Nullable Object> elements(JsonParser json) {
        List<@Nullable Object> elements = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            elements.add(value(json));
        }
        return elements;
    }

    private static @Nullable Object value(JsonParser json) {
        return switch (json.currentToken()) {
            case START_OBJECT -> members(json);
            case START_ARRAY -> elements(json);
            case VALUE_STRING -> json.getString();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(json);
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new StreamReadException(json, "no value");
        };
    }

    /** Nothing is clipped: a number beyond all doubles would become infinite. */
    private static Number number(JsonParser json) {
        Number number = json.getNumberValue();
        if (Double.isInfinite(number.doubleValue()) && !NOT_FINITE.contains(json.getString())) {
            throw new StreamReadException(json, "a number that is too large for a double");
        }
        return number;
    }

    /** Writes a tree; what is no part of JSON is written as the text that it is. */
    public static String text(@Nullable Object tree) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(json, tree);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, @Nullable Object tree) {
        if (tree instanceof Map<?, ?> map) {
            json.writeStartObject();
            map.forEach((name, value) -> {
                json.writeName(String.valueOf(name));
                write(json, value);
            });
            json.writeEndObject();
        } else if (tree instanceof List<?> list) {
            json.writeStartArray();
            list.forEach(element -> write(json, element));
            json.writeEndArray();
        } else {
            writeLeaf(json, tree);
        }
    }

    private static void writeLeaf(JsonGenerator json, @Nullable Object leaf) {
        if (leaf == null) {
            json.writeNull();
        } else if (leaf instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (leaf instanceof Integer || leaf instanceof Long) {
            json.writeNumber(((Number) leaf).longValue());
        } else if (leaf instanceof BigInteger number) {
            json.writeNumber(number);
        } else if (leaf instanceof BigDecimal number) {
            json.writeNumber(number);
        } else if (leaf instanceof Number number) {
            json.writeNumber(number.doubleValue());
        } else {
            json.writeString(leaf.toString());
        }
    }
}
