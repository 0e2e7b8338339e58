package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.Closeable;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code rlm collect} in a process of its own, and a client of it. */
final class CollectProcess implements Closeable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Pattern LISTENING =
            Pattern.compile("listening on (https?://[^\\s,]+)(?:, gRPC on (https?://[^\\s,]+))?");

    private static final int KILLED = 137;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path folder;
    private final RlmProcess rlm;
    private final String url;
    private final String grpcUrl;

    private CollectProcess(Path folder, RlmProcess rlm) throws Exception {
        this.folder = folder;
        this.rlm = rlm;
        await().atMost(PATIENCE)
                .until(() ->
                        LISTENING.matcher(rlm.err()).find() || !rlm.process().isAlive());
        Matcher said = LISTENING.matcher(rlm.err());
        boolean listens = said.find();
        if (!listens && rlm.process().waitFor() != KILLED) {
            throw new AssertionError(rlm.err());
        }
        this.url = listens ? said.group(1) : "";
        this.grpcUrl = listens ? String.valueOf(said.group(2)) : "";
    }

    /** Returns whether it has got so far, before it was killed. */
    boolean listens() {
        return !url.isEmpty();
    }

    /** Starts it with runs that end 200 ms after their last span. */
    static CollectProcess start(Path folder, String... options) throws Exception {
        return start(folder, Map.of(), List.of(), options);
    }

    static CollectProcess start(Path folder, Map<String, String> variables, List<String> java, String... options)
            throws Exception {
        return startUnder(List.of(), folder, variables, java, options);
    }

    static CollectProcess startUnder(
            List<String> starter, Path folder, Map<String, String> variables, List<String> java, String... options)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of("collect"));
        if (!List.of(options).contains("--port")) {
            arguments.addAll(List.of("--port", "0"));
        }
        if (!List.of(options).contains("--quiet-time")) {
            arguments.addAll(List.of("--quiet-time", "200ms"));
        }
        arguments.addAll(List.of(options));
        return new CollectProcess(
                folder,
                RlmProcess.startUnder(
                        starter, folder, variables, java, Main.class.getName(), arguments.toArray(String[]::new)));
    }

    RlmProcess rlm() {
        return rlm;
    }

    String url() {
        return url;
    }

    String grpcUrl() {
        return grpcUrl;
    }

    HttpResponse<byte[]> post(String path, byte[] body, String... headers) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .timeout(PATIENCE)
                        .headers(headers)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Sends spans in JSON, and expects that they are taken. */
    String send(String json) throws Exception {
        HttpResponse<byte[]> response =
                post("/v1/traces", json.getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json");
        String body = new String(response.body(), StandardCharsets.UTF_8);
        assertThat(response.statusCode()).as(body).isEqualTo(200);
        return body;
    }

    Journal journal() {
        return Journal.open(folder.resolve(".rlm"));
    }

    List<RunSummary> runs() {
        return Journal.isAt(folder.resolve(".rlm")) ? journal().runs() : List.of();
    }

    /** The events of a run, once it has ended. */
    List<RunEvent> events(String runId) {
        await().atMost(PATIENCE)
                .until(() -> runs().stream()
                        .anyMatch(run -> run.runId().equals(runId) && run.row().end() != null));
        return journal().events(runId);
    }

    void kill() throws Exception {
        rlm.process().destroyForcibly();
        assertThat(rlm.process().waitFor()).isEqualTo(KILLED);
    }

    /** Ends it in order. */
    void stop() throws Exception {
        rlm.process().destroy();
        assertThat(rlm.process().waitFor()).as(rlm.err()).isEqualTo(143);
    }

    @Override
    public void close() {
        rlm.close();
    }
}
