package dev.rlm.recorder;

import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/** JSON as it comes from outside: read strictly, into maps, lists, strings, numbers, booleans and {@link #NULL}. */
final class JsonText {
    /** What {@code null} is read as. */
    static final Object NULL = new Object() {
        @Override
        public String toString() {
            return "null";
        }
    };

    private static final int MAX_DEPTH = 64;
    private static final int MAX_NUMBER = 1_000;
    private static final int CONTAINER_SIZE = 320; // bytes, about, in both forms that a line goes through
    private static final int PROPERTY_SIZE = 192;
    private static final int VALUE_SIZE = 32;

    // NaN and Infinity are no JSON, but what Python and others write for them: to refuse them would lose a reward.
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private final JsonParser json;
    private final LineMemory.Share share;

    private JsonText(JsonParser json, LineMemory.Share share) {
        this.json = json;
        this.share = share;
    }

    /** Reads the object that is all of a line, within its share of the memory. */
    static Map<String, Object> object(byte[] line, LineMemory.Share share) throws RefusedException {
        try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), decoded(line))) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new RefusedException("not a JSON object: a line is one, such as {\"type\":\"heartbeat\"}");
            }
            Map<String, Object> object = new JsonText(json, share).object();
            if (json.nextToken() != null) {
                throw new RefusedException("there is more after the JSON object: a line holds one event");
            }
            return object;
        } catch (JacksonException e) {
            throw new RefusedException("not valid JSON: " + reason(e));
        }
    }

    private static String decoded(byte[] line) throws RefusedException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new RefusedException("not valid UTF-8");
        }
    }

    private static String reason(JacksonException e) {
        String column =
                e.getLocation() == null ? "" : " (column " + e.getLocation().getColumnNr() + ")";
        return String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("") + column;
    }

    private Map<String, Object> object() throws RefusedException {
        share.take(CONTAINER_SIZE);
        Map<String, Object> object = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            share.take(PROPERTY_SIZE);
            String name = json.currentName();
            json.nextToken();
            object.put(name, value());
        }
        return object;
    }

    private List<Object> list() throws RefusedException {
        share.take(CONTAINER_SIZE);
        List<Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            list.add(value());
        }
        return list;
    }

    private Object value() throws RefusedException {
        share.take(VALUE_SIZE);
        return switch (json.currentToken()) {
            case START_OBJECT -> object();
            case START_ARRAY -> list();
            case VALUE_STRING -> json.getString();
            case VALUE_NUMBER_INT -> json.getNumberValue();
            case VALUE_NUMBER_FLOAT -> decimal(json);
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> NULL;
        };
    }

    /** Nothing is clipped: a number beyond all doubles would become infinite. */
    private static Double decimal(JsonParser json) throws RefusedException {
        String text = json.getString();
        double value = json.getDoubleValue();
        if (Double.isInfinite(value) && text.chars().anyMatch(Character::isDigit)) {
            throw new RefusedException("the number " + Kind.excerpt(text) + " is too large for a double");
        }
        return value;
    }

    /** The value as JSON. */
    static String of(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(json, value);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, Object value) {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            map.forEach((name, each) -> {
                json.writeName(String.valueOf(name));
                write(json, each);
            });
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            list.forEach(each -> write(json, each));
            json.writeEndArray();
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else if (value instanceof Boolean || value instanceof Number || value == NULL) {
            json.writeRawValue(value.toString());
        } else {
            json.writeString(value.toString());
        }
    }
}
