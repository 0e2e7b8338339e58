package dev.rlm.runner.openai;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Fields of a server's JSON: those that are missing or of another kind than they should be count as not said. */
final class Fields {
    private static final long MAX_COUNT = 1L << 53;

    private Fields() {}

    /** A text or a number. */
    static @Nullable String word(JsonNode field) {
        return field.isString() || field.isNumber() ? field.asString() : null;
    }

    /** A number of things: whole, not below zero. */
    static @Nullable Long count(JsonNode field) {
        long count = field.isIntegralNumber() ? field.longValue(-1) : -1;
        return count < 0 || count > MAX_COUNT ? null : Long.valueOf(count);
    }
}
