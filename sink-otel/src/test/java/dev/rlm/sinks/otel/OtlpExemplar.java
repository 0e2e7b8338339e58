package dev.rlm.sinks.otel;

import io.opentelemetry.proto.metrics.v1.Exemplar;
import java.util.List;
import java.util.Map;

/**
 * One measurement behind a point, with the span in which it was made.
 *
 * @param value a Long or a Double, as it was sent
 * @param attributes what the measurement had beyond the point's attributes
 */
record OtlpExemplar(Number value, long timeNanos, String traceId, String spanId, Map<String, Object> attributes) {

    static List<OtlpExemplar> all(List<Exemplar> exemplars) {
        return exemplars.stream().map(OtlpExemplar::of).toList();
    }

    private static OtlpExemplar of(Exemplar exemplar) {
        return new OtlpExemplar(
                exemplar.hasAsInt() ? (Number) exemplar.getAsInt() : (Number) exemplar.getAsDouble(),
                exemplar.getTimeUnixNano(),
                OtlpValues.hex(exemplar.getTraceId()),
                OtlpValues.hex(exemplar.getSpanId()),
                OtlpValues.map(exemplar.getFilteredAttributesList()));
    }
}
