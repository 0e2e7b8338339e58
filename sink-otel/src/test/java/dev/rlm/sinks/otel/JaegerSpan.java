package dev.rlm.sinks.otel;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * One span as Jaeger shows it. Times are microseconds, the start's since 1970.
 *
 * @param parentId empty for a root
 * @param tags the attributes, and what Jaeger makes of kind and status ({@code span.kind}, {@code error},
 *     {@code otel.status_code}, {@code otel.status_description})
 * @param logs the events
 * @param warnings what Jaeger finds wrong with the span
 * @param process the resource's attributes, without the service's name
 */
record JaegerSpan(
        String traceId,
        String spanId,
        String parentId,
        String name,
        long startMicros,
        long durationMicros,
        Map<String, Object> tags,
        List<Log> logs,
        List<Reference> references,
        List<String> warnings,
        String service,
        Map<String, Object> process) {

    /** An event; its name is the field {@code event}. */
    record Log(long micros, Map<String, Object> fields) {
        String event() {
            return String.valueOf(fields.get("event"));
        }
    }

    /** A span that this one names: its parent ({@code CHILD_OF}) or a link ({@code FOLLOWS_FROM}). */
    record Reference(String type, String traceId, String spanId) {}

    static JaegerSpan of(JsonNode span, JsonNode processes) {
        JsonNode process = processes.path(span.path("processID").asString());
        List<Reference> references =
                span.path("references").valueStream().map(JaegerSpan::reference).toList();
        return new JaegerSpan(
                span.path("traceID").asString(),
                span.path("spanID").asString(),
                parent(references),
                span.path("operationName").asString(),
                span.path("startTime").asLong(),
                span.path("duration").asLong(),
                values(span.path("tags")),
                span.path("logs").valueStream().map(JaegerSpan::log).toList(),
                references,
                strings(span.path("warnings")),
                process.path("serviceName").asString(),
                values(process.path("tags")));
    }

    /** The elements of a JSON array, none of null or of an absent one. */
    static List<String> strings(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }

    private static String parent(List<Reference> references) {
        return references.stream()
                .filter(each -> each.type().equals("CHILD_OF"))
                .map(Reference::spanId)
                .findFirst()
                .orElse("");
    }

    private static Reference reference(JsonNode reference) {
        return new Reference(
                reference.path("refType").asString(),
                reference.path("traceID").asString(),
                reference.path("spanID").asString());
    }

    private static Log log(JsonNode log) {
        return new Log(log.path("timestamp").asLong(), values(log.path("fields")));
    }

    private static Map<String, Object> values(JsonNode tags) {
        return tags.valueStream()
                .collect(toUnmodifiableMap(tag -> tag.path("key").asString(), JaegerSpan::value));
    }

    private static Object value(JsonNode tag) {
        JsonNode value = tag.path("value");
        return switch (tag.path("type").asString()) {
            case "bool" -> value.asBoolean();
            case "int64" -> value.asLong();
            case "float64" -> value.asDouble();
            default -> value.asString();
        };
    }
}
