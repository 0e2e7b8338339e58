package dev.rlm.sinks.otel;

import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.util.List;
import java.util.Map;

/**
 * A point of a sum or a gauge.
 *
 * @param value a Long or a Double, as it was sent
 */
record OtlpNumber(
        OtlpMetric metric,
        Map<String, Object> attributes,
        long startNanos,
        long timeNanos,
        Number value,
        List<OtlpExemplar> exemplars)
        implements OtlpPoint {

    static OtlpNumber of(OtlpMetric metric, NumberDataPoint point) {
        return new OtlpNumber(
                metric,
                OtlpValues.map(point.getAttributesList()),
                point.getStartTimeUnixNano(),
                point.getTimeUnixNano(),
                point.hasAsInt() ? (Number) point.getAsInt() : (Number) point.getAsDouble(),
                OtlpExemplar.all(point.getExemplarsList()));
    }
}
