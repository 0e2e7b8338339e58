package dev.rlm.sinks.otel.backend;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * One span as Phoenix keeps it.
 *
 * @param kind such as {@code AGENT}
 * @param parentId empty for a root
 * @param attributes by their dotted names, as text
 */
public record PhoenixSpan(
        String name,
        String kind,
        String traceId,
        String spanId,
        String parentId,
        String status,
        Map<String, String> attributes) {

    static PhoenixSpan of(JsonNode span) {
        return new PhoenixSpan(
                span.path("name").asString(),
                span.path("span_kind").asString(),
                span.path("context").path("trace_id").asString(),
                span.path("context").path("span_id").asString(),
                span.path("parent_id").asString(""),
                span.path("status_code").asString(),
                span.path("attributes")
                        .propertyStream()
                        .collect(toUnmodifiableMap(Map.Entry::getKey, each -> text(each.getValue()))));
    }

    private static String text(JsonNode value) {
        return value.isString() ? value.asString() : value.toString();
    }

    /** The attribute of that name; empty where there is none. */
    public String attribute(String attribute) {
        return attributes.getOrDefault(attribute, "");
    }
}
