package dev.rlm.sinks.otel;

import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import java.util.List;
import java.util.Map;

/**
 * A point of a histogram with explicit bounds; {@code sum}, {@code min} and {@code max} are NaN where they were not
 * sent.
 *
 * @param counts by bucket, one more than there are bounds
 */
record OtlpHistogram(
        OtlpMetric metric,
        Map<String, Object> attributes,
        long startNanos,
        long timeNanos,
        long count,
        double sum,
        double min,
        double max,
        List<Double> bounds,
        List<Long> counts,
        List<OtlpExemplar> exemplars)
        implements OtlpPoint {

    static OtlpHistogram of(OtlpMetric metric, HistogramDataPoint point) {
        return new OtlpHistogram(
                metric,
                OtlpValues.map(point.getAttributesList()),
                point.getStartTimeUnixNano(),
                point.getTimeUnixNano(),
                point.getCount(),
                point.hasSum() ? point.getSum() : Double.NaN,
                point.hasMin() ? point.getMin() : Double.NaN,
                point.hasMax() ? point.getMax() : Double.NaN,
                List.copyOf(point.getExplicitBoundsList()),
                List.copyOf(point.getBucketCountsList()),
                OtlpExemplar.all(point.getExemplarsList()));
    }
}
