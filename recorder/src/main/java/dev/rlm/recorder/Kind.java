package dev.rlm.recorder;

import dev.rlm.sinks.event.FileContent;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What kind of value a field holds.
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
    static final Kind LABEL = new Kind("a text", (value, redaction) -> label(value, redaction));

    /** Any text; what is no text is kept as JSON. */
    static final Kind TEXT = new Kind("a text", (value, redaction) -> redaction.apply(text(value)));

    static final Kind COUNT = new Kind("a whole number from 0 to 2147483647", (value, redaction) -> count(value));
    static final Kind WHOLE = new Kind("a whole number", (value, redaction) -> whole(value));
    static final Kind NUMBER =
            new Kind("a number, \"NaN\", \"Infinity\" or \"-Infinity\"", (value, redaction) -> number(value));
    static final Kind FLAG =
            new Kind("true or false", (value, redaction) -> value instanceof Boolean flag ? flag : null);
    static final Kind TIME =
            new Kind("a time such as 2026-03-01T10:20:30.5Z, with its zone", (value, redaction) -> time(value));
    static final Kind SHA256 = new Kind(
            "64 hexadecimal digits",
            (value, redaction) -> value instanceof String text && text.matches("([0-9a-f]{64})?")
                    ? text
                    : null); // empty in a journal's line of a file that was not kept

    /** Bytes of a file, which the hub takes secrets out of. */
    static final Kind BASE64 = new Kind("bytes in base64", (value, redaction) -> file(value));

    static final Kind VALUES = new Kind("an object", (value, redaction) -> values(value, redaction));
    static final Kind TEXTS = new Kind("an object of texts", (value, redaction) -> texts(value, redaction));
    static final Kind NUMBERS = new Kind("an object of numbers", (value, redaction) -> numbers(value, redaction));

    /** The numbers of an object, as {@link dev.rlm.sinks.Sinks#metrics} takes them. */
    static final Kind NUMBERS_IN =
            new Kind("an object, whose numbers are within range", (value, redaction) -> numbersIn(value, redaction));

    static final Kind INTEGERS = listOf(COUNT);
    static final Kind DECIMALS = listOf(NUMBER);

    static Kind oneOf(String... allowed) {
        return oneOf(List.of(allowed));
    }

    static Kind oneOf(List<String> all) {
        return new Kind(
                "one of " + String.join(", ", all),
                (value, redaction) -> value instanceof String text && all.contains(text) ? text : null);
    }

    static Kind object(Shape shape) {
        return new Kind("an object", (value, redaction) -> shape.read(value, redaction));
    }

    static Kind listOf(Shape shape) {
        return listOf(object(shape));
    }

    private static Kind listOf(Kind kind) {
        return new Kind("a list, each " + kind.expected(), (value, redaction) -> {
            if (!(value instanceof List<?> list)) {
                return null;
            }
            List<Object> read = new ArrayList<>(list.size());
            for (Object each : list) {
                Object one = kind.reader().read(each, redaction);
                if (one == null) {
                    return null;
                }
                read.add(one);
            }
            return read;
        });
    }

    /** The value as events are read from it. */
    Object read(String name, Object value, UnaryOperator<String> redaction) throws RefusedException {
        Object read = reader.read(value, redaction);
        if (read == null) {
            throw new RefusedException(
                    name + " must be " + expected + ", not " + excerpt(redaction.apply(JsonText.of(value))));
        }
        return read;
    }

    static String excerpt(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }

    private static @Nullable FileContent file(Object value) {
        try {
            byte[] bytes = Base64.getDecoder().decode(value instanceof String text ? text : "-");
            return new FileContent(bytes.length, () -> bytes);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable String id(Object value) {
        String text = scalar(value);
        return text == null || text.isBlank() || text.length() > MAX_ID ? null : text;
    }

    private static @Nullable String label(Object value, UnaryOperator<String> redaction) {
        String text = scalar(value);
        return text == null ? null : redaction.apply(text);
    }

    private static @Nullable String scalar(Object value) {
        boolean scalar = value instanceof String || value instanceof Number || value instanceof Boolean;
        return scalar ? value.toString() : null;
    }

    private static String text(Object value) {
        return value instanceof String text ? text : JsonText.of(value);
    }

    private static @Nullable Integer count(Object value) {
        return value instanceof Integer number && number >= 0 ? number : null;
    }

    private static @Nullable Long whole(Object value) {
        return value instanceof Integer || value instanceof Long ? ((Number) value).longValue() : null;
    }

    private static @Nullable Double number(Object value) {
        if (value instanceof String text) {
            return NOT_FINITE.contains(text) ? Double.valueOf(text) : null;
        }
        double number = value instanceof Number given ? given.doubleValue() : Double.NaN;
        boolean clipped = value instanceof BigInteger && Double.isInfinite(number);
        return value instanceof Number && !clipped ? Double.valueOf(number) : null;
    }

    private static @Nullable Instant time(Object value) {
        try {
            return value instanceof String text ? Instant.parse(text) : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static @Nullable Map<String, Object> values(Object value, UnaryOperator<String> redaction) {
        if (!(value instanceof Map<?, ?> map)) {
            return null;
        }
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((name, each) -> copy.put(redaction.apply(name.toString()), free(each, redaction)));
        return copy;
    }

    /** As the recording handles take it, without secrets. */
    private static Object free(Object value, UnaryOperator<String> redaction) {
        if (value instanceof Number || value instanceof Boolean) {
            return value;
        } else if (value instanceof List<?> list) {
            List<Object> copy = new ArrayList<>();
            list.forEach(each -> copy.add(free(each, redaction)));
            return copy;
        }
        Map<String, Object> map = values(value, redaction);
        return map == null ? redaction.apply(value.toString()) : map;
    }

    private static @Nullable Map<String, String> texts(Object value, UnaryOperator<String> redaction) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (!(value instanceof Map<?, ?> map)) {
            return null;
        }
        for (Map.Entry<?, ?> each : map.entrySet()) {
            String text = label(each.getValue(), redaction);
            if (text == null) {
                return null;
            }
            texts.put(redaction.apply(each.getKey().toString()), text);
        }
        return texts;
    }

    private static @Nullable Map<String, Double> numbers(Object value, UnaryOperator<String> redaction) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        if (!(value instanceof Map<?, ?> map)) {
            return null;
        }
        for (Map.Entry<?, ?> each : map.entrySet()) {
            Double number = number(each.getValue());
            if (number == null) {
                return null;
            }
            numbers.put(redaction.apply(each.getKey().toString()), number);
        }
        return numbers;
    }

    private static @Nullable Map<String, Double> numbersIn(Object value, UnaryOperator<String> redaction) {
        if (!(value instanceof Map<?, ?> map)) {
            return null;
        }
        Map<Object, Object> numbers = new LinkedHashMap<>();
        map.forEach((name, each) -> {
            if (each instanceof Number || NOT_FINITE.contains(each)) {
                numbers.put(name, each);
            }
        });
        return numbers(numbers, redaction);
    }

    /** Makes of a JSON value what events are read from. */
    @FunctionalInterface
    interface Reader {
        /** It, without secrets; {@code null} where it is not allowed. */
        @Nullable
        Object read(Object value, UnaryOperator<String> redaction) throws RefusedException;
    }
}
