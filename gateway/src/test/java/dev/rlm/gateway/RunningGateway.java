package dev.rlm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** {@code rlm gateway} in this process, and a client of it. */
final class RunningGateway implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Path folder;
    private final RunningCli rlm;
    private final String url;

    private RunningGateway(Path folder, RunningCli rlm) {
        this.folder = folder;
        this.rlm = rlm;
        this.url = rlm.awaitUrl();
    }

    static RunningGateway start(Path folder, Map<String, String> variables, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("gateway", "--port", "0"));
        arguments.addAll(List.of(options));
        return new RunningGateway(folder, RunningCli.start(folder, variables, arguments.toArray(String[]::new)));
    }

    RunningCli rlm() {
        return rlm;
    }

    int port() {
        return URI.create(url).getPort();
    }

    String url() {
        return url;
    }

    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        return client.send(
                request(path, headers)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                text());
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return client.send(request(path, headers).build(), text());
    }

    private static HttpResponse.BodyHandler<String> text() {
        return HttpResponse.BodyHandlers.ofString();
    }

    HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url() + path)).timeout(PATIENCE);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request;
    }

    HttpClient client() {
        return client;
    }

    /** What it answers, as a tree. */
    JsonNode tree(String path) throws Exception {
        return Json.REPLY.object(get(path).body());
    }

    int code(String rollout) throws Exception {
        return tree("/v1/status?rollout_id=" + rollout)
                .path("status")
                .path("code")
                .intValue(-1);
    }

    Journal journal() {
        return Journal.open(folder.resolve(".rlm"));
    }

    /** All runs that were recorded. */
    List<RunSummary> runs() {
        return Journal.isAt(folder.resolve(".rlm")) ? journal().runs() : List.of();
    }

    /** All events of runs of a rollout, in the order of the runs. */
    List<RunEvent> events(String rollout) {
        return runs().stream()
                .filter(run -> rollout.equals(run.run().correlation().rollout()))
                .flatMap(run -> journal().events(run.runId()).stream())
                .toList();
    }

    List<ModelCalled> calls(String rollout) {
        return events(rollout).stream()
                .filter(ModelCalled.class::isInstance)
                .map(ModelCalled.class::cast)
                .toList();
    }

    void stop() throws InterruptedException {
        assertThat(rlm.stop()).isEqualTo(130);
    }

    @Override
    public void close() throws InterruptedException {
        rlm.close();
    }
}
