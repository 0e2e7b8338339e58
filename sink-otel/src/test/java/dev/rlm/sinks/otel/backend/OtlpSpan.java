package dev.rlm.sinks.otel.backend;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.List;
import java.util.Map;

/**
 * One span as a back end got it. Ids are lower-case hexadecimal digits, times nanoseconds since 1970.
 *
 * @param parentId empty for a root
 * @param flags the W3C trace flags, and above them OTLP's two bits that tell whether the parent is remote
 */
public record OtlpSpan(
        Map<String, Object> resource,
        String scope,
        String traceId,
        String spanId,
        String parentId,
        String name,
        SpanKind kind,
        long startNanos,
        long endNanos,
        Map<String, Object> attributes,
        List<Event> events,
        List<Link> links,
        StatusCode status,
        String statusMessage,
        int flags,
        String traceState) {

    /** Something that happened within the span. */
    public record Event(String name, long nanos, Map<String, Object> attributes) {
        private static Event of(Span.Event event) {
            return new Event(event.getName(), event.getTimeUnixNano(), OtlpValues.map(event.getAttributesList()));
        }
    }

    /** A span that this one names without being its child. */
    public record Link(String traceId, String spanId, Map<String, Object> attributes) {
        private static Link of(Span.Link link) {
            return new Link(
                    OtlpValues.hex(link.getTraceId()),
                    OtlpValues.hex(link.getSpanId()),
                    OtlpValues.map(link.getAttributesList()));
        }
    }

    static List<OtlpSpan> all(ExportTraceServiceRequest request) {
        return request.getResourceSpansList().stream()
                .flatMap(resource -> resource.getScopeSpansList().stream()
                        .flatMap(scope -> scope.getSpansList().stream().map(span -> of(resource, scope, span))))
                .toList();
    }

    private static OtlpSpan of(ResourceSpans resource, ScopeSpans scope, Span span) {
        return new OtlpSpan(
                OtlpValues.map(resource.getResource().getAttributesList()),
                scope.getScope().getName(),
                OtlpValues.hex(span.getTraceId()),
                OtlpValues.hex(span.getSpanId()),
                OtlpValues.hex(span.getParentSpanId()),
                span.getName(),
                kind(span.getKind()),
                span.getStartTimeUnixNano(),
                span.getEndTimeUnixNano(),
                OtlpValues.map(span.getAttributesList()),
                span.getEventsList().stream().map(Event::of).toList(),
                span.getLinksList().stream().map(Link::of).toList(),
                status(span.getStatus().getCode()),
                span.getStatus().getMessage(),
                span.getFlags(),
                span.getTraceState());
    }

    private static SpanKind kind(Span.SpanKind kind) {
        return SpanKind.valueOf(kind.name().substring("SPAN_KIND_".length()));
    }

    private static StatusCode status(Status.StatusCode code) {
        return StatusCode.valueOf(code.name().substring("STATUS_CODE_".length()));
    }
}
