package dev.rlm.sinks.otel.backend;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * One span as Tempo shows it. Ids are hexadecimal, times nanoseconds since 1970.
 *
 * @param parentId empty for a root
 * @param status {@code OK}, {@code ERROR} or {@code UNSET}
 */
public record TempoSpan(
        String traceId,
        String spanId,
        String parentId,
        String name,
        long startNanos,
        long endNanos,
        Map<String, Object> attributes,
        List<Event> events,
        String status,
        String statusMessage,
        Map<String, Object> resource) {

    /** Something that happened within the span. */
    public record Event(String name, long nanos, Map<String, Object> attributes) {}

    static List<TempoSpan> all(JsonNode trace) {
        return trace.path("batches")
                .valueStream()
                .flatMap(batch -> batch.path("scopeSpans")
                        .valueStream()
                        .flatMap(scope -> scope.path("spans").valueStream().map(span -> of(batch, span))))
                .toList();
    }

    private static TempoSpan of(JsonNode batch, JsonNode span) {
        String code = span.path("status").path("code").asString("STATUS_CODE_UNSET");
        return new TempoSpan(
                hex(span.path("traceId")),
                hex(span.path("spanId")),
                hex(span.path("parentSpanId")),
                span.path("name").asString(),
                span.path("startTimeUnixNano").asLong(),
                span.path("endTimeUnixNano").asLong(),
                values(span.path("attributes")),
                span.path("events").valueStream().map(TempoSpan::event).toList(),
                code.substring("STATUS_CODE_".length()),
                span.path("status").path("message").asString(""),
                values(batch.path("resource").path("attributes")));
    }

    private static Event event(JsonNode event) {
        return new Event(
                event.path("name").asString(), event.path("timeUnixNano").asLong(), values(event.path("attributes")));
    }

    private static String hex(JsonNode id) {
        return HexFormat.of().formatHex(Base64.getDecoder().decode(id.asString("")));
    }

    /** Attributes by key; arrays as JSON. */
    static Map<String, Object> values(JsonNode attributes) {
        return attributes
                .valueStream()
                .collect(toUnmodifiableMap(each -> each.path("key").asString(), each -> value(each.path("value"))));
    }

    private static Object value(JsonNode value) {
        if (value.has("boolValue")) {
            return value.path("boolValue").asBoolean();
        } else if (value.has("intValue")) {
            return value.path("intValue").asLong();
        } else if (value.has("doubleValue")) {
            return Double.parseDouble(value.path("doubleValue").asString()); // may be Infinity
        }
        return value.has("stringValue") ? value.path("stringValue").asString() : value.toString();
    }
}
