package dev.rlm.cli.testkit;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A client of {@code rlm gateway}, and a reader of the journal that it writes under its folder. */
public class GatewayClient {
    /** How long an answer may take. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Path journal;
    private final String url;

    protected GatewayClient(Path folder, String url) {
        this.journal = folder.resolve(".rlm");
        this.url = url;
    }

    public final String url() {
        return url;
    }

    public final int port() {
        return URI.create(url).getPort();
    }

    public final HttpClient client() {
        return client;
    }

    public final HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        return client.send(
                request(path, headers)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    public final HttpResponse<String> get(String path, String... headers) throws Exception {
        return client.send(request(path, headers).build(), HttpResponse.BodyHandlers.ofString());
    }

    public final HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(PATIENCE);
        return headers.length > 0 ? request.headers(headers) : request;
    }

    /** Returns what it answers, as a tree. */
    public final JsonNode tree(String path) throws Exception {
        return Json.REPLY.object(get(path).body());
    }

    /** Returns the status of a rollout; -1 where it has none. */
    public final int code(String rollout) throws Exception {
        return tree("/v1/status?rollout_id=" + rollout)
                .path("status")
                .path("code")
                .intValue(-1);
    }

    public final Journal journal() {
        return Journal.open(journal);
    }

    /** Returns all runs that were recorded. */
    public final List<RunSummary> runs() {
        return Journal.isAt(journal) ? journal().runs() : List.of();
    }

    /** Returns all events of runs of a rollout, in the order of the runs. */
    public final List<RunEvent> events(String rollout) {
        return runs().stream()
                .filter(run -> rollout.equals(run.run().correlation().rollout()))
                .flatMap(run -> journal().events(run.runId()).stream())
                .toList();
    }

    public final List<ModelCalled> calls(String rollout) {
        return events(rollout).stream()
                .filter(ModelCalled.class::isInstance)
                .map(ModelCalled.class::cast)
                .toList();
    }
}
