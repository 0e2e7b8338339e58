package dev.rlm.recorder;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.schema.EventField;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the values of fields as their declarations say, without secrets. Its private methods return {@code null} for a value
 * that is not allowed.
 *
 * @param redaction takes secrets out of a text
 */
record ValueReader(UnaryOperator<String> redaction) {
    static final int MAX_ID = 1_024;

    private static final int SHOWN = 40;
    private static final String COUNT = "a whole number from 0 to 2147483647";
    private static final String NUMBER = "a number, \"NaN\", \"Infinity\" or \"-Infinity\"";

    /** Says in words what is allowed for a field. */
    static String expected(EventField field) {
        return switch (field.name()) {
            case "sha256" -> "64 hexadecimal digits";
            case "step_field" -> oneOf(MetricsReported.STEP_FIELDS);
            case "values" -> "an object, whose numbers are within range";
            default ->
                switch (field.kind()) {
                    case ID -> "a text of 1 to 1024 characters";
                    case LABEL, TEXT -> "a text";
                    case FILE -> "bytes in base64";
                    case WHOLE -> "a whole number";
                    case COUNT -> COUNT;
                    case NUMBER -> NUMBER;
                    case FLAG -> "true or false";
                    case CHOICE -> oneOf(field.choices());
                    case TIME -> "a time such as 2026-03-01T10:20:30.5Z, with its zone";
                    case WHOLES -> "a list, each " + COUNT;
                    case DECIMALS -> "a list, each " + NUMBER;
                    case TEXTS -> "an object of texts";
                    case NUMBERS, COUNTS -> "an object of numbers";
                    case VALUES, OBJECT, OBJECTS_BY_NAME -> "an object";
                    case OBJECTS -> "a list, each an object";
                };
        };
    }

    private static String oneOf(List<String> all) {
        return "one of " + String.join(", ", all);
    }

    /** The value of a field as events are read from it. */
    Object read(EventField field, JsonNode value) {
        Object read = value(field, value);
        if (read == null) {
            throw new LineRefusedException(field.name() + " must be " + expected(field) + ", not " + shown(value));
        }
        return read;
    }

    /** The beginning of a value that is refused. */
    String shown(JsonNode value) {
        return excerpt(redaction.apply(Json.text(value)));
    }

    static String excerpt(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }

    private @Nullable Object value(EventField field, JsonNode value) {
        return switch (field.name()) {
            case "sha256" -> // empty in a journal's line of a file that was not kept
                value.stringValue("-").matches("([0-9a-f]{64})?") ? value.stringValue() : null;
            case "step_field" -> choice(MetricsReported.STEP_FIELDS, value);
            case "values" -> map(numbersOf(value), Json::number);
            case "reply" -> Shapes.REPLY.read(value, this);
            default ->
                switch (field.kind()) {
                    case ID -> id(value);
                    case LABEL -> label(value);
                    case TEXT -> redaction.apply(value.isString() ? value.stringValue() : Json.text(value));
                    case FILE -> file(value);
                    case WHOLE -> value.isInt() || value.isLong() ? value.longValue() : null;
                    case COUNT -> count(value);
                    case NUMBER -> Json.number(value);
                    case FLAG -> value.isBoolean() ? value.booleanValue() : null;
                    case CHOICE -> choice(field.choices(), value);
                    case TIME -> time(value);
                    case WHOLES -> list(value, ValueReader::count);
                    case DECIMALS -> list(value, Json::number);
                    case VALUES -> map(value, this::free);
                    case TEXTS -> map(value, this::label);
                    case NUMBERS, COUNTS -> map(value, Json::number);
                    case OBJECT, OBJECTS_BY_NAME ->
                        Shapes.of(field.object().type()).read(value, this);
                    case OBJECTS -> {
                        Shape each = Shapes.of(field.object().type());
                        yield list(value, object -> each.read(object, this));
                    }
                };
        };
    }

    /** Leaves as it is what joins something to something else. */
    private static @Nullable String id(JsonNode value) {
        String text = scalar(value);
        return text == null || text.isBlank() || text.length() > MAX_ID ? null : text;
    }

    private @Nullable String label(JsonNode value) {
        String text = scalar(value);
        return text == null ? null : redaction.apply(text);
    }

    private static @Nullable String scalar(JsonNode value) {
        return value.isString() || value.isNumber() || value.isBoolean() ? value.asString() : null;
    }

    private static @Nullable String choice(List<String> all, JsonNode value) {
        return value.stringValueOpt().filter(all::contains).orElse(null);
    }

    /** Bytes that the hub takes secrets out of. */
    private static @Nullable FileContent file(JsonNode value) {
        try {
            byte[] bytes = Base64.getDecoder().decode(value.stringValue("-"));
            return new FileContent(bytes.length, () -> bytes);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable Integer count(JsonNode value) {
        return value.isInt() && value.intValue() >= 0 ? value.intValue() : null;
    }

    private static @Nullable Instant time(JsonNode value) {
        try {
            return Instant.parse(value.stringValue(""));
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** Reads any value, as the recording handles take it. */
    private Object free(JsonNode value) {
        if (value.isNumber()) {
            return value.numberValue();
        } else if (value.isBoolean()) {
            return value.booleanValue();
        }
        Object container = value.isArray() ? list(value, this::free) : map(value, this::free);
        return container == null ? redaction.apply(value.stringValue("null")) : container;
    }

    /** The numbers of an object, as {@link dev.rlm.sinks.Sinks#metrics} takes them. */
    private static JsonNode numbersOf(JsonNode value) {
        return value instanceof ObjectNode object
                ? object.deepCopy().removeIf(each -> Json.number(each) == null)
                : value;
    }

    private static @Nullable List<Object> list(JsonNode value, Function<JsonNode, @Nullable Object> reader) {
        if (!value.isArray()) {
            return null;
        }
        List<Object> read = new ArrayList<>(value.size());
        for (JsonNode each : value) {
            Object one = reader.apply(each);
            if (one == null) {
                return null;
            }
            read.add(one);
        }
        return read;
    }

    private @Nullable Map<String, Object> map(JsonNode value, Function<JsonNode, @Nullable Object> reader) {
        if (!value.isObject()) {
            return null;
        }
        Map<String, Object> read = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> each : value.properties()) {
            Object one = reader.apply(each.getValue());
            if (one == null) {
                return null;
            }
            read.put(redaction.apply(each.getKey()), one);
        }
        return read;
    }
}
