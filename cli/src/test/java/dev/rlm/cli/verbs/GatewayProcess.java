package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.Closeable;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** {@code rlm gateway} in a process of its own, and a client of it. */
final class GatewayProcess implements Closeable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Pattern LISTENING = Pattern.compile("listening on (http://\\S+?:(\\d+))");

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Path folder;
    private final RlmProcess rlm;
    private final int port;

    private GatewayProcess(Path folder, RlmProcess rlm) throws Exception {
        this.folder = folder;
        this.rlm = rlm;
        await().atMost(PATIENCE)
                .until(() ->
                        LISTENING.matcher(rlm.err()).find() || !rlm.process().isAlive());
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).as(rlm.err()).isTrue();
        this.port = Integer.parseInt(said.group(2));
    }

    static GatewayProcess start(Path folder, Map<String, String> variables, String... options) throws Exception {
        return start(folder, variables, List.of(), options);
    }

    static GatewayProcess start(Path folder, Map<String, String> variables, List<String> java, String... options)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of("gateway", "--port", "0"));
        arguments.addAll(List.of(options));
        return new GatewayProcess(
                folder,
                RlmProcess.start(folder, variables, java, Main.class.getName(), arguments.toArray(String[]::new)));
    }

    RlmProcess rlm() {
        return rlm;
    }

    int port() {
        return port;
    }

    String url() {
        return "http://127.0.0.1:" + port;
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

    void kill() throws Exception {
        rlm.process().destroyForcibly();
        assertThat(rlm.process().waitFor()).isEqualTo(137);
    }

    void stop() throws Exception {
        rlm.process().destroy();
        assertThat(rlm.process().waitFor()).isEqualTo(143);
    }

    @Override
    public void close() {
        rlm.close();
    }
}
