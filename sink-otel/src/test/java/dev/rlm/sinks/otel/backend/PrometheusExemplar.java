package dev.rlm.sinks.otel.backend;

import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * One measurement as an example for a series.
 *
 * @param labels the series'
 */
public record PrometheusExemplar(Map<String, String> labels, double value, String traceId, String spanId) {

    static Stream<PrometheusExemplar> all(JsonNode series) {
        Map<String, String> labels = PrometheusServer.labels(series.path("seriesLabels"));
        return series.path("exemplars")
                .valueStream()
                .map(each -> new PrometheusExemplar(
                        labels,
                        Double.parseDouble(each.path("value").asString()),
                        each.path("labels").path("trace_id").asString(),
                        each.path("labels").path("span_id").asString()));
    }
}
