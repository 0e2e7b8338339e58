package dev.rlm.recorder;

import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.journal.Journal;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code rlm record --port} in this process, and a client of it. */
final class RunningRecorder implements AutoCloseable {
    static final String TOKEN = "0123456789abcdef0123";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path folder;
    private final RunningCli rlm;
    private final String url;

    private RunningRecorder(Path folder, RunningCli rlm) {
        this.folder = folder;
        this.rlm = rlm;
        this.url = rlm.awaitUrl();
    }

    /** Starts it at a free port, with the journal of that folder. */
    static RunningRecorder start(Path folder, Map<String, String> variables, String... options) throws IOException {
        Map<String, String> all = new HashMap<>(Map.of("RLM_RECORD_TOKEN", TOKEN));
        all.putAll(variables);
        String[] arguments = Stream.concat(Stream.of("record", "--port", "0"), List.of(options).stream())
                .toArray(String[]::new);
        return new RunningRecorder(folder, RunningCli.start(folder, all, arguments));
    }

    RunningCli rlm() {
        return rlm;
    }

    /** Returns its address, without a path. */
    String url() {
        return url;
    }

    Journal journal() {
        return Journal.open(folder.resolve(".rlm"));
    }

    /** Begins a request of whoever knows that token. */
    HttpRequest.Builder request(String token, String path) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + token);
    }

    HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Sends events. */
    HttpResponse<String> post(String type, String body) throws IOException, InterruptedException {
        return send(request(TOKEN, "/v1/events")
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    @Override
    public void close() throws InterruptedException {
        rlm.close();
    }
}
