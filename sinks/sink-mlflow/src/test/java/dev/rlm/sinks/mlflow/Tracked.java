package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an MLflow server has, as its own clients would ask for it. */
final class Tracked {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final String api;

    Tracked(String url) {
        api = url + "/api/2.0/mlflow/";
    }

    /** The experiment of that name. */
    JsonNode experiment(String name) {
        return get("experiments/get-by-name?experiment_name=" + name).path("experiment");
    }

    String experimentId(String name) {
        return experiment(name).path("experiment_id").asString();
    }

    /** The runs in the experiment, deleted ones left out. */
    List<JsonNode> runs(String experiment) {
        return post("runs/search", Map.of("experiment_ids", List.of(experimentId(experiment)), "max_results", 1000))
                .path("runs")
                .valueStream()
                .toList();
    }

    JsonNode run(String experiment) {
        List<JsonNode> runs = runs(experiment);
        assertThat(runs).hasSize(1);
        return runs.get(0);
    }

    static String id(JsonNode run) {
        return run.path("info").path("run_id").asString();
    }

    static String status(JsonNode run) {
        return run.path("info").path("status").asString();
    }

    /** A parameter or tag of the run. */
    static String value(JsonNode run, String kind, String key) {
        return run.path("data")
                .path(kind)
                .valueStream()
                .filter(each -> each.path("key").asString().equals(key))
                .map(each -> each.path("value").asString())
                .findFirst()
                .orElse("(none)");
    }

    /** The points of a metric in order, each as {@code step=value}. */
    List<String> points(JsonNode run, String key) {
        String query = "?run_id=" + id(run) + "&metric_key=" + URLEncoder.encode(key, StandardCharsets.UTF_8)
                + "&max_results=25000";
        return get("metrics/get-history" + query)
                .path("metrics")
                .valueStream()
                .map(each ->
                        each.path("step").asLong() + "=" + each.path("value").asString())
                .toList();
    }

    private JsonNode get(String path) {
        return send(HttpRequest.newBuilder(URI.create(api + path)).build());
    }

    JsonNode post(String path, Map<String, ?> body) {
        return send(HttpRequest.newBuilder(URI.create(api + path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
                .build());
    }

    private JsonNode send(HttpRequest request) {
        return JSON.readTree(text(request));
    }

    private String text(HttpRequest request) {
        try {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode())
                    .as("%s: %s", request.uri(), answer.body())
                    .isEqualTo(200);
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
