package dev.rlm.sinks.mlflow.rest;

import dev.rlm.json.Json;
import dev.rlm.sinks.delivery.DeliveryException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests about the server's runs. Safe for use by several threads. */
public record MlflowRuns(TrackingServer server) {
    /** Most points of one request. */
    public static final int MAX_METRICS = 1_000;

    private static final String API = "/api/2.0/mlflow/";
    private static final int MAX_PARAMS = 100;
    private static final int PAGE = 20_000;

    /** The run with the tag, if it was not deleted; the first where there are several. */
    public Optional<FoundRun> find(String experimentId, String tag, String value) throws DeliveryException {
        MlflowResponse answer = server.post(
                        API + "runs/search",
                        Map.of(
                                "experiment_ids",
                                List.of(experimentId),
                                "filter",
                                "tags.`" + tag + "` = '" + value + "'",
                                "run_view_type",
                                "ACTIVE_ONLY",
                                "order_by",
                                List.of("attributes.start_time ASC"),
                                "max_results",
                                1))
                .orThrow();
        return Json.elements(answer.json().path("runs")).stream()
                .map(FoundRun::of)
                .findFirst();
    }

    /** The run of the id. */
    public FoundRun get(String id) throws DeliveryException {
        MlflowResponse answer =
                server.get(API + "runs/get", Map.of("run_id", id)).orThrow();
        return FoundRun.of(answer.json().path("run"));
    }

    /** Makes a run of that name, which is then running. Without its parameters: see {@link #describe}. */
    public FoundRun create(String experimentId, CreateRunRequest request, String name) throws DeliveryException {
        Map<String, String> tags = new LinkedHashMap<>(request.tags());
        tags.put(request.tag(), request.value());
        MlflowResponse answer = server.postOnce(
                        API + "runs/create",
                        Map.of(
                                "experiment_id", experimentId,
                                "run_name", name,
                                "start_time", request.startTime(),
                                "user_id",
                                        tags.getOrDefault(CreateRunRequest.USER, ""), // as MLflow's own client does too
                                "tags", pairs(tags)))
                .orThrow();
        return FoundRun.of(answer.json().path("run"));
    }

    /** Takes a run out of sight that nothing was sent to. */
    public MlflowResponse delete(String id) {
        return server.post(API + "runs/delete", Map.of("run_id", id));
    }

    /** Gives the run those parameters that it does not have: one that changes is refused. */
    public void describe(String id, Map<String, String> params, Set<String> known) throws DeliveryException {
        List<Map<String, String>> pairs = pairs(params);
        pairs.removeIf(pair -> known.contains(pair.getOrDefault("key", "")));
        for (int from = 0; from < pairs.size(); from += MAX_PARAMS) {
            List<Map<String, String>> some = pairs.subList(from, Math.min(pairs.size(), from + MAX_PARAMS));
            server.post(API + "runs/log-batch", Map.of("run_id", id, "params", some))
                    .orThrow();
        }
    }

    private static List<Map<String, String>> pairs(Map<String, String> values) {
        List<Map<String, String>> pairs = new ArrayList<>();
        values.forEach((key, value) -> pairs.add(Map.of("key", key, "value", value)));
        return pairs;
    }

    /**
     * Says how the run stands.
     *
     * @param status {@code RUNNING}, {@code FINISHED}, {@code FAILED} or {@code KILLED}
     * @param endTime milliseconds since the epoch; {@code null} where it has not ended
     * @param name its new name; {@code null} where it keeps its own
     */
    public MlflowResponse update(String id, String status, @Nullable Long endTime, @Nullable String name) {
        Map<String, Object> body = new LinkedHashMap<>(Map.of("run_id", id, "status", status));
        if (name != null) {
            body.put("run_name", name);
        }
        if (endTime != null) {
            body.put("end_time", endTime);
        }
        return server.post(API + "runs/update", body);
    }

    /** Adds points, {@link #MAX_METRICS} at the most. Those that are there already are not added again. */
    public MlflowResponse log(String id, List<Metric> metrics) {
        return server.post(API + "runs/log-batch", Map.of("run_id", id, "metrics", metrics));
    }

    /** Keeps a file with a run; one that is there under that path is replaced. */
    public MlflowResponse keep(FoundRun run, String path, byte[] file) {
        String encoded = URLEncoder.encode(path, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
        String folder = URI.create(run.artifacts()).getRawPath();
        return server.put("/api/2.0/mlflow-artifacts/artifacts" + folder + "/" + encoded, file);
    }

    /** All points of a metric. */
    public List<Metric> history(String id, String key) throws DeliveryException {
        List<Metric> points = new ArrayList<>();
        String page = "";
        do {
            Map<String, String> query =
                    new LinkedHashMap<>(Map.of("run_id", id, "metric_key", key, "max_results", Integer.toString(PAGE)));
            if (!page.isEmpty()) {
                query.put("page_token", page);
            }
            MlflowResponse answer =
                    server.get(API + "metrics/get-history", query).orThrow();
            Json.elements(answer.json().path("metrics")).forEach(point -> points.add(Metric.of(key, point)));
            page = answer.text("next_page_token");
        } while (!page.isEmpty());
        return points;
    }
}
