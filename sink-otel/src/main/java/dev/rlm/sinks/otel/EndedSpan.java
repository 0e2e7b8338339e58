package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.trace.data.SpanData;

/**
 * A span to be sent.
 *
 * @param events how many events it stands for
 * @param bytes about how many bytes it takes in a request
 */
record EndedSpan(SpanData span, int events, long bytes) {
    static EndedSpan of(SpanData span, int events) {
        long bytes = 200 + bytes(span.getAttributes());
        for (var event : span.getEvents()) {
            bytes += 30 + bytes(event.getAttributes());
        }
        return new EndedSpan(span, events, bytes);
    }

    private static long bytes(Attributes attributes) {
        long[] sum = {0};
        attributes.forEach((key, value) ->
                sum[0] += 20 + key.getKey().length() + (value instanceof String text ? utf8Bytes(text) : 8));
        return sum[0];
    }

    private static long utf8Bytes(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            bytes += unit < 0x80 ? 1 : unit < 0x800 || Character.isSurrogate(unit) ? 2 : 3;
        }
        return bytes;
    }
}
