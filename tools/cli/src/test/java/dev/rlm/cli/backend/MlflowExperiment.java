package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.otel.backend.MlflowServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** What a real MLflow has in one of its experiments. */
record MlflowExperiment(MlflowServer server, String name) {
    private static final String API = "/api/2.0/mlflow/";
    private static final int PAGE = 500;
    private static final int LONGEST_HISTORY = 25_000;

    /** What a program needs to send there. */
    Map<String, String> variables() {
        return Map.of(
                "RLM_MLFLOW_ENABLED", "true", "MLFLOW_TRACKING_URI", server.url(), "MLFLOW_EXPERIMENT_NAME", name);
    }

    private String id() {
        return server.ask(API + "experiments/get-by-name", Map.of("experiment_name", name))
                .path("experiment")
                .path("experiment_id")
                .asString();
    }

    /** Its runs. */
    List<JsonNode> runs() {
        return server.search(API + "runs/search", Map.of("experiment_ids", List.of(id())))
                .path("runs")
                .valueStream()
                .toList();
    }

    /** Its one run. */
    JsonNode run() {
        assertThat(runs()).hasSize(1);
        return runs().get(0).path("info");
    }

    /** What stands in the columns of the table of runs: the last point of each metric of its one run. */
    Map<String, Double> shown() {
        assertThat(runs()).hasSize(1);
        Map<String, Double> shown = new LinkedHashMap<>();
        runs().get(0)
                .at("/data/metrics")
                .forEach(metric -> shown.put(
                        metric.path("key").asString(), metric.path("value").asDouble()));
        return shown;
    }

    /** The page of its one run. */
    String page() {
        return server.url() + "/#/experiments/" + id() + "/runs/"
                + run().path("run_id").asString();
    }

    /** The points of a metric of its run. */
    List<Point> points(String key) {
        return points(run().path("run_id").asString(), key);
    }

    /** The points of a metric of that run. */
    List<Point> points(String runId, String key) {
        Map<String, Object> query = Map.of("run_id", runId, "metric_key", key, "max_results", LONGEST_HISTORY);
        return server.ask(API + "metrics/get-history", query)
                .path("metrics")
                .valueStream()
                .map(point -> new Point(
                        point.path("step").asLong(),
                        point.path("timestamp").asLong(),
                        point.path("value").asDouble()))
                .toList();
    }

    /** The traces that a filter lets through, by their ids as everywhere else. */
    Map<String, Trace> traces(String filter) {
        Map<String, Object> query = new LinkedHashMap<>(Map.of(
                "locations",
                List.of(Map.of("type", "MLFLOW_EXPERIMENT", "mlflow_experiment", Map.of("experiment_id", id()))),
                "filter",
                filter,
                "max_results",
                PAGE));
        Map<String, Trace> traces = new LinkedHashMap<>();
        String page = "";
        do {
            query.put("page_token", page);
            JsonNode answer = server.search("/api/3.0/mlflow/traces/search", query);
            answer.path("traces")
                    .forEach(trace ->
                            assertThat(traces.put(id(trace), Trace.of(trace))).isNull());
            page = answer.path("next_page_token").asString("");
        } while (!page.isEmpty());
        return traces;
    }

    private static String id(JsonNode trace) {
        return trace.path("trace_id").asString().replaceFirst("tr-", "");
    }

    /** One point of a metric. */
    record Point(long step, long timestamp, double value) {}

    /**
     * A trace.
     *
     * @param state {@code OK}, {@code ERROR} or {@code IN_PROGRESS}
     * @param rewards the values of its feedback by that name
     */
    record Trace(String state, List<Double> rewards) {
        static Trace of(JsonNode trace) {
            List<Double> rewards = new ArrayList<>();
            trace.path("assessments").forEach(assessment -> {
                assertThat(assessment.path("assessment_name").asString()).isEqualTo("reward");
                rewards.add(assessment.path("feedback").path("value").asDouble());
            });
            return new Trace(trace.path("state").asString(), rewards);
        }
    }
}
