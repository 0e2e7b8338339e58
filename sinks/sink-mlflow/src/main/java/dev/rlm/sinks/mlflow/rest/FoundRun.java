package dev.rlm.sinks.mlflow.rest;

import dev.rlm.json.Json;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * One of MLflow's runs that was there already.
 *
 * @param artifacts where its files are kept: {@code mlflow-artifacts:/…} where the server takes them
 * @param latest the last point of each metric that it has, by key
 * @param params the names of those that it has
 */
public record FoundRun(String id, String status, String artifacts, Map<String, Metric> latest, Set<String> params) {
    public FoundRun {
        latest = Map.copyOf(latest);
        params = Set.copyOf(params);
    }

    /** Returns whether the server takes its files. */
    public boolean takesArtifacts() {
        return artifacts.startsWith("mlflow-artifacts:/");
    }

    static FoundRun of(JsonNode run) {
        JsonNode info = run.path("info");
        JsonNode data = run.path("data");
        Map<String, Metric> latest = new HashMap<>();
        for (JsonNode point : Json.elements(data.path("metrics"))) {
            Metric metric = Metric.of(text(point, "key"), point);
            latest.put(metric.key(), metric);
        }
        Set<String> params = new HashSet<>();
        Json.elements(data.path("params")).forEach(param -> params.add(text(param, "key")));
        return new FoundRun(text(info, "run_id"), text(info, "status"), text(info, "artifact_uri"), latest, params);
    }

    private static String text(JsonNode parent, String name) {
        return parent.path(name).asString("");
    }
}
