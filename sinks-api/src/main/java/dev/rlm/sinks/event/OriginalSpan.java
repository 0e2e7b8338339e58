package dev.rlm.sinks.event;

import java.util.Map;

/**
 * Span of another program that a run or an event was made of, where it was collected. A sink that sends spans gives its own the
 * same id, name and resource.
 *
 * @param spanId 16 hexadecimal digits
 * @param name as that program gave it
 * @param resource attributes of what sent it, as OpenTelemetry names them; empty where they are those of the run's span
 */
public record OriginalSpan(
        @Recorded(id = true, required = true) String spanId,
        @Recorded(required = true) String name,
        Map<String, Object> resource) {
    public OriginalSpan {
        Checks.spanId(spanId);
        name = Checks.orEmpty(name);
        resource = JsonValues.copy(resource);
    }
}
