package dev.rlm.sinks.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

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

    /** An unmodifiable copy in the given order; unlike {@link Map#copyOf} it keeps the order. */
    static <V> Map<String, V> copy(Map<String, V> map) {
        return map.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
