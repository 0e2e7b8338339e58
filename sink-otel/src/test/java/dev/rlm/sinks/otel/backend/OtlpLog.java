package dev.rlm.sinks.otel.backend;

import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import java.util.List;
import java.util.Map;

/**
 * One log record as a back end got it.
 *
 * @param severity OTLP's number, 9 for INFO, 13 for WARN, 17 for ERROR
 * @param flags the low byte is that of W3C: 1 where the span is sampled
 * @param body the empty string where there is none
 */
public record OtlpLog(
        Map<String, Object> resource,
        String scope,
        long timeNanos,
        int severity,
        String eventName,
        Object body,
        Map<String, Object> attributes,
        String traceId,
        String spanId,
        int flags) {

    static List<OtlpLog> all(ExportLogsServiceRequest request) {
        return request.getResourceLogsList().stream()
                .flatMap(resource -> resource.getScopeLogsList().stream()
                        .flatMap(scope -> scope.getLogRecordsList().stream().map(log -> of(resource, scope, log))))
                .toList();
    }

    private static OtlpLog of(ResourceLogs resource, ScopeLogs scope, LogRecord log) {
        return new OtlpLog(
                OtlpValues.map(resource.getResource().getAttributesList()),
                scope.getScope().getName(),
                log.getTimeUnixNano(),
                log.getSeverityNumberValue(),
                log.getEventName(),
                log.hasBody() ? OtlpValues.value(log.getBody()) : "",
                OtlpValues.map(log.getAttributesList()),
                OtlpValues.hex(log.getTraceId()),
                OtlpValues.hex(log.getSpanId()),
                log.getFlags());
    }
}
