package dev.rlm.recorder;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.FileContent;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Kind of value that a field holds.
 *
 * @param expected what is allowed, in words
 * @param reader makes of a JSON value what events are read from
 */
record Kind(String expected, Reader reader) {
    static final int MAX_ID = 1_024;

    private static final int SHOWN = 40;
    private static final List<String> NOT_FINITE = List.of("NaN", "Infinity", "-Infinity");

    /** A name or number by which something is joined to something else; it is left as it is. */
    static final Kind ID = new Kind("a text of 1 to 1024 characters", (value, redaction) -> id(value));

    /** A short text, such as a name. */
    static final Kind LABEL = new Kind("a text", Kind::label);

    /** Any text; what is no text is kept as JSON. */
    static final Kind TEXT = new Kind(
            "a text",
            (value, redaction) -> redaction.apply(value.stringValueOpt().orElseGet(() -> Json.text(value))));

    static final Kind COUNT = new Kind(
            "a whole number from 0 to 2147483647",
            (value, redaction) -> value.isInt() && value.intValue() >= 0 ? value.intValue() : null);
    static final Kind WHOLE = new Kind(
            "a whole number", (value, redaction) -> value.isInt() || value.isLong() ? value.longValue() : null);
    static final Kind NUMBER =
            new Kind("a number, \"NaN\", \"Infinity\" or \"-Infinity\"", (value, redaction) -> number(value));
    static final Kind FLAG =
            new Kind("true or false", (value, redaction) -> value.isBoolean() ? value.booleanValue() : null);
    static final Kind TIME =
            new Kind("a time such as 2026-03-01T10:20:30.5Z, with its zone", (value, redaction) -> time(value));
    static final Kind SHA256 = new Kind(
            "64 hexadecimal digits",
            (value, redaction) -> value.stringValueOpt()
                    .filter(text -> text.matches("([0-9a-f]{64})?")) // empty for a journal's file that was not kept
                    .orElse(null));

    /** Bytes of a file, which the hub takes secrets out of. */
    static final Kind BASE64 = new Kind("bytes in base64", (value, redaction) -> file(value));

    static final Kind VALUES = mapOf("an object", Kind::free);
    static final Kind TEXTS = mapOf("an object of texts", LABEL.reader());
    static final Kind NUMBERS = mapOf("an object of numbers", NUMBER.reader());

    /** The numbers of an object, as {@link dev.rlm.sinks.Sinks#metrics} takes them. */
    static final Kind NUMBERS_IN = new Kind("an object, whose numbers are within range", Kind::numbersIn);

    static Kind oneOf(List<String> all) {
        return new Kind(
                "one of " + String.join(", ", all),
                (value, redaction) ->
                        value.stringValueOpt().filter(all::contains).orElse(null));
    }

    static Kind object(Shape shape) {
        return new Kind("an object", shape::read);
    }

    static Kind listOf(Kind kind) {
        return new Kind("a list, each " + kind.expected(), (value, redaction) -> list(value, redaction, kind.reader()));
    }

    private static Kind mapOf(String expected, Reader each) {
        return new Kind(expected, (value, redaction) -> map(value, redaction, each));
    }

    /** The value as events are read from it. */
    Object read(String name, JsonNode value, UnaryOperator<String> redaction) {
        Object read = reader.read(value, redaction);
        if (read == null) {
            throw new RefusedException(name + " must be " + expected + ", not " + shown(value, redaction));
        }
        return read;
    }

    /** The beginning of a value that is refused, without secrets. */
    static String shown(JsonNode value, UnaryOperator<String> redaction) {
        return excerpt(redaction.apply(Json.text(value)));
    }

    static String excerpt(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }

    private static @Nullable FileContent file(JsonNode value) {
        try {
            byte[] bytes = Base64.getDecoder().decode(value.stringValue("-"));
            return new FileContent(bytes.length, () -> bytes);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable String id(JsonNode value) {
        String text = scalar(value);
        return text == null || text.isBlank() || text.length() > MAX_ID ? null : text;
    }

    private static @Nullable String label(JsonNode value, UnaryOperator<String> redaction) {
        String text = scalar(value);
        return text == null ? null : redaction.apply(text);
    }

    private static @Nullable String scalar(JsonNode value) {
        return value.isString() || value.isNumber() || value.isBoolean() ? value.asString() : null;
    }

    private static @Nullable Double number(JsonNode value) {
        if (!value.isNumber()) {
            return NOT_FINITE.contains(value.stringValue("")) ? Double.valueOf(value.stringValue()) : null;
        }
        double number = value.numberValue().doubleValue();
        return value.isBigInteger() && Double.isInfinite(number) ? null : Double.valueOf(number);
    }

    private static @Nullable Instant time(JsonNode value) {
        try {
            return Instant.parse(value.stringValue(""));
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** As the recording handles take it, without secrets. */
    private static Object free(JsonNode value, UnaryOperator<String> redaction) {
        if (value.isNumber()) {
            return value.numberValue();
        } else if (value.isBoolean()) {
            return value.booleanValue();
        }
        Object container = value.isArray() ? list(value, redaction, Kind::free) : map(value, redaction, Kind::free);
        return container == null ? redaction.apply(value.stringValue("null")) : container;
    }

    private static @Nullable Map<String, Object> numbersIn(JsonNode value, UnaryOperator<String> redaction) {
        JsonNode numbers = value instanceof ObjectNode object
                ? object.deepCopy().removeIf(each -> !each.isNumber() && !NOT_FINITE.contains(each.stringValue("")))
                : value;
        return map(numbers, redaction, NUMBER.reader());
    }

    private static @Nullable List<Object> list(JsonNode value, UnaryOperator<String> redaction, Reader reader) {
        if (!value.isArray()) {
            return null;
        }
        List<Object> read = new ArrayList<>(value.size());
        for (JsonNode each : value) {
            Object one = reader.read(each, redaction);
            if (one == null) {
                return null;
            }
            read.add(one);
        }
        return read;
    }

    private static @Nullable Map<String, Object> map(JsonNode value, UnaryOperator<String> redaction, Reader reader) {
        if (!value.isObject()) {
            return null;
        }
        Map<String, Object> read = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> each : value.properties()) {
            Object one = reader.read(each.getValue(), redaction);
            if (one == null) {
                return null;
            }
            read.put(redaction.apply(each.getKey()), one);
        }
        return read;
    }

    /** Makes of a JSON value what events are read from. */
    @FunctionalInterface
    interface Reader {
        /** It, without secrets; {@code null} where it is not allowed. */
        @Nullable
        Object read(JsonNode value, UnaryOperator<String> redaction);
    }
}
