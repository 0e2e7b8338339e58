package dev.rlm.sinks.otel;

import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One data point of a metric: the state of one set of attributes at one time (nanoseconds since 1970). */
sealed interface OtlpPoint permits OtlpNumber, OtlpHistogram {
    OtlpMetric metric();

    Map<String, Object> attributes();

    long startNanos();

    long timeNanos();

    List<OtlpExemplar> exemplars();

    default String name() {
        return metric().name();
    }

    static List<OtlpPoint> all(ExportMetricsServiceRequest request) {
        return request.getResourceMetricsList().stream()
                .flatMap(resource -> resource.getScopeMetricsList().stream()
                        .flatMap(scope -> scope.getMetricsList().stream()
                                .flatMap(metric -> points(OtlpMetric.of(resource, scope, metric), metric))))
                .toList();
    }

    private static Stream<OtlpPoint> points(OtlpMetric common, Metric metric) {
        return switch (common.kind()) {
            case SUM -> metric.getSum().getDataPointsList().stream().map(point -> OtlpNumber.of(common, point));
            case GAUGE -> metric.getGauge().getDataPointsList().stream().map(point -> OtlpNumber.of(common, point));
            case HISTOGRAM ->
                metric.getHistogram().getDataPointsList().stream().map(point -> OtlpHistogram.of(common, point));
        };
    }
}
