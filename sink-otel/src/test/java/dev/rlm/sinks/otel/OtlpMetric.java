package dev.rlm.sinks.otel;

import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.util.Map;

/**
 * What the points of one metric in one export have in common.
 *
 * @param monotonic whether a sum can only grow; false for all that is no sum
 */
record OtlpMetric(
        Map<String, Object> resource,
        String scope,
        String name,
        String description,
        String unit,
        Kind kind,
        Temporality temporality,
        boolean monotonic) {

    /** What a metric's points are. */
    enum Kind {
        SUM,
        GAUGE,
        HISTOGRAM
    }

    /** What a point's value is counted from. */
    enum Temporality {
        /** Nothing is counted: a gauge, or a metric that fails to say it. */
        UNSPECIFIED,
        DELTA,
        CUMULATIVE
    }

    static OtlpMetric of(ResourceMetrics resource, ScopeMetrics scope, Metric metric) {
        return new OtlpMetric(
                OtlpValues.map(resource.getResource().getAttributesList()),
                scope.getScope().getName(),
                metric.getName(),
                metric.getDescription(),
                metric.getUnit(),
                Kind.valueOf(metric.getDataCase().name()),
                temporality(metric),
                metric.getSum().getIsMonotonic());
    }

    private static Temporality temporality(Metric metric) {
        AggregationTemporality temporality = metric.hasSum()
                ? metric.getSum().getAggregationTemporality()
                : metric.getHistogram().getAggregationTemporality();
        return Temporality.valueOf(temporality.name().substring("AGGREGATION_TEMPORALITY_".length()));
    }
}
