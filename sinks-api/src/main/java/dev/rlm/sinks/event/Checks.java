package dev.rlm.sinks.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the records' compact constructors have in common. */
final class Checks {
    private Checks() {}

    static String notBlank(String value, String name) {
        if (value.isBlank()) {
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

    static String orEmpty(@Nullable String value) {
        return value == null ? "" : value;
    }

    /** An unmodifiable copy in the given order, of {@linkplain Content#limited limited} texts. */
    static Map<String, String> texts(Map<String, String> map) {
        return copy(map, value -> Content.limited(String.valueOf(value)));
    }

    /** An unmodifiable copy in the given order; what is missing is not a number. */
    static Map<String, Double> numbers(Map<String, Double> map) {
        return copy(map, value -> value == null ? Double.NaN : value);
    }

    private static <V> Map<String, V> copy(Map<String, V> map, UnaryOperator<V> values) {
        if (map.isEmpty()) {
            return Map.of();
        }
        Map<String, V> copy = new LinkedHashMap<>();
        map.forEach((name, value) -> copy.put(Content.limited(String.valueOf(name)), values.apply(value)));
        return Collections.unmodifiableMap(copy);
    }
}
