package dev.rlm.runner.openai;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A JSON object of a server: what is missing or of another kind than it should be counts as not said. */
record Fields(Map<String, @Nullable Object> values) {
    private static final long MAX_COUNT = 1L << 53;

    @Nullable
    String text(String name) {
        return values.get(name) instanceof String text ? text : null;
    }

    /** The first of these texts that is there. */
    @Nullable
    String text(String name, String otherwise) {
        String text = text(name);
        return text == null ? text(otherwise) : text;
    }

    /** A text or a number. */
    @Nullable
    String word(String name) {
        Object value = values.get(name);
        return value instanceof String || value instanceof Number ? value.toString() : null;
    }

    /** A number of things: whole, not below zero. */
    @Nullable
    Long count(String name) {
        return values.get(name) instanceof Number number
                        && (number instanceof Integer || number instanceof Long)
                        && number.longValue() >= 0
                        && number.longValue() <= MAX_COUNT
                ? number.longValue()
                : null;
    }

    /** An object; an empty one where there is none. */
    Fields object(String name) {
        return of(values.get(name));
    }

    List<?> list(String name) {
        return values.get(name) instanceof List<?> list ? list : List.of();
    }

    List<Fields> objects(String name) {
        return list(name).stream().map(Fields::of).toList();
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    @SuppressWarnings("unchecked") // as JsonTree makes them
    static Fields of(@Nullable Object value) {
        return new Fields(value instanceof Map<?, ?> ? (Map<String, @Nullable Object>) value : Map.of());
    }
}
