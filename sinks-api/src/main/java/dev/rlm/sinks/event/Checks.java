package dev.rlm.sinks.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks of the records' compact constructors. */
final class Checks {
    private static final Pattern SPAN_ID = Pattern.compile("(?!0{16})[0-9a-f]{16}");

    private Checks() {}

    static String notBlank(@Nullable String value, String name) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(name + " must not be blank");
        }
        return value;
    }

    static long atLeast(long min, long value, String name) {
        if (value < min) {
            throw new IllegalArgumentException(name + " must be at least " + min + ", was " + value);
        }
        return value;
    }

    static void spanId(String id) {
        if (!SPAN_ID.matcher(id).matches()) {
            throw new IllegalArgumentException("not the id of a span: " + Content.limited(id));
        }
    }

    static String orEmpty(@Nullable String value) {
        return value == null ? "" : value;
    }

    static Content orEmpty(@Nullable Content value) {
        return value == null ? Content.EMPTY : value;
    }

    static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : List.copyOf(list);
    }

    /** An unmodifiable copy in the given order, of {@linkplain Content#limited limited} texts. */
    static Map<String, String> texts(@Nullable Map<String, String> map) {
        return copy(map, value -> Content.limited(String.valueOf(value)));
    }

    /** An unmodifiable copy in the given order; what is missing is not a number. */
    static Map<String, Double> numbers(@Nullable Map<String, Double> map) {
        return copy(map, value -> value == null ? Double.NaN : value);
    }

    private static <V> Map<String, V> copy(@Nullable Map<String, V> map, UnaryOperator<V> values) {
        if (map == null || map.isEmpty()) {
            return Map.of();
        }
        Map<String, V> copy = new LinkedHashMap<>();
        map.forEach((name, value) -> copy.put(Content.limited(String.valueOf(name)), values.apply(value)));
        return Collections.unmodifiableMap(copy);
    }
}
