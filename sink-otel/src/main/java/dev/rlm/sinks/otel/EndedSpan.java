package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A span to be sent.
 *
 * @param events how many events it stands for
 * @param bytes about how many bytes it takes in a request, and hardly ever more
 */
record EndedSpan(SpanData span, int events, long bytes) {
    private static final int SHORT = 64; // characters

    static EndedSpan of(SpanData span, int events) {
        Weight weight = new Weight();
        weight.bytes = 200 + utf8Bytes(span.getName());
        span.getAttributes().forEach(weight);
        for (EventData event : span.getEvents()) {
            weight.bytes += 30;
            event.getAttributes().forEach(weight);
        }
        return new EndedSpan(span, events, weight.bytes);
    }

    static long bytes(Attributes attributes) {
        Weight weight = new Weight();
        attributes.forEach(weight);
        return weight.bytes;
    }

    /**
     * Of a short text the most that it may take, for which nobody has to look at it. Of others by making the bytes, which
     * the JVM does in vectors: a third of the time that looking takes.
     */
    static long utf8Bytes(String text) {
        return text.length() > SHORT ? text.getBytes(StandardCharsets.UTF_8).length : 3L * text.length();
    }

    /** Adds up what attributes take. */
    private static final class Weight implements BiConsumer<AttributeKey<?>, Object> {
        private long bytes;

        @Override
        public void accept(AttributeKey<?> key, Object value) {
            bytes += 20 + utf8Bytes(key.getKey()) + bytesOf(value);
        }

        private static long bytesOf(Object value) {
            if (value instanceof String text) {
                return utf8Bytes(text);
            }
            return value instanceof List<?> list
                    ? list.stream().mapToLong(each -> 4 + bytesOf(each)).sum()
                    : 8;
        }
    }
}
