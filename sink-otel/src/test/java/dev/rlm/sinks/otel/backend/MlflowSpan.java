package dev.rlm.sinks.otel.backend;

import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * One span as MLflow shows it. Ids are hexadecimal.
 *
 * @param parentId empty for a root
 * @param status {@code OK}, {@code ERROR} or {@code UNSET}
 * @param attributes as JSON, as MLflow keeps them
 */
public record MlflowSpan(String spanId, String parentId, String name, String status, Map<String, String> attributes) {

    static MlflowSpan of(JsonNode span) {
        return new MlflowSpan(
                hex(span.path("span_id")),
                hex(span.path("parent_span_id")),
                span.path("name").asString(),
                span.path("status").path("code").asString("STATUS_CODE_UNSET").substring("STATUS_CODE_".length()),
                PrometheusServer.labels(span.path("attributes")));
    }

    /** What MLflow takes it for, such as {@code AGENT} or {@code TOOL}. */
    public String type() {
        return attributes.getOrDefault("mlflow.spanType", "").replace("\"", "");
    }

    private static String hex(JsonNode id) {
        return HexFormat.of().formatHex(Base64.getDecoder().decode(id.asString("")));
    }
}
