package dev.rlm.sinks.otel.backend;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One trace as MLflow's list shows it. What it does not show is empty.
 *
 * @param traceId as everywhere else, without MLflow's {@code tr-}
 * @param request what its column shows
 * @param response what its column shows
 * @param state {@code OK}, {@code ERROR} or {@code IN_PROGRESS}
 * @param duration its execution time, such as {@code 0.009s}
 * @param tokens by kind, such as {@code input_tokens}
 */
public record MlflowTrace(
        String traceId,
        String name,
        String request,
        String response,
        String state,
        String session,
        String duration,
        Map<String, Long> tokens,
        Map<String, String> tags) {
    static final String ID_PREFIX = "tr-";

    private static final JsonMapper JSON = new JsonMapper();

    /** Whether its root has arrived. */
    public boolean hasEnded() {
        return !state.equals("IN_PROGRESS");
    }

    static MlflowTrace of(JsonNode trace) {
        JsonNode metadata = trace.path("trace_metadata");
        JsonNode usage = JSON.readTree(metadata.path("mlflow.trace.tokenUsage").asString("{}"));
        return new MlflowTrace(
                trace.path("trace_id").asString().substring(ID_PREFIX.length()),
                trace.path("tags").path("mlflow.traceName").asString(""),
                trace.path("request_preview").asString(""),
                trace.path("response_preview").asString(""),
                trace.path("state").asString(),
                metadata.path("mlflow.trace.session").asString(""),
                trace.path("execution_duration").asString(""),
                usage.propertyStream()
                        .collect(toUnmodifiableMap(
                                Map.Entry::getKey, each -> each.getValue().asLong())),
                PrometheusServer.labels(trace.path("tags")));
    }
}
