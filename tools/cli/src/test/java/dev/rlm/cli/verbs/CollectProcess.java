package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.OtlpJson;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RunEvent;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code rlm collect} in a process of its own, and a client of it. */
final class CollectProcess implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Pattern LISTENING = Pattern.compile("listening on (https?://[^\\s,]+)");
    private static final int KILLED = 137;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Path folder;
    private final RlmProcess rlm;
    private final String url;

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
    }

    /**
     * Starts it, with options of Java's, with runs that end 50 ms after their last span.
     *
     * @param starter the command of another program that starts it, if any
     */
    static CollectProcess start(List<String> starter, Path folder, List<String> java, String... options)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of("collect", "--quiet-time", "50ms"));
        if (!List.of(options).contains("--port")) {
            arguments.addAll(List.of("--port", "0"));
        }
        arguments.addAll(List.of(options));
        String[] all = arguments.toArray(String[]::new);
        return new CollectProcess(
                folder, RlmProcess.startUnder(starter, folder, Map.of(), java, Main.class.getName(), all));
    }

    /** Returns whether it has got so far, before it was killed. */
    boolean listens() {
        return !url.isEmpty();
    }

    RlmProcess rlm() {
        return rlm;
    }

    String url() {
        return url;
    }

    /** Sends spans, which are in JSON. */
    HttpResponse<String> send(String... spans) throws IOException, InterruptedException {
        return post(url, OtlpJson.request(spans));
    }

    /** Posts a request to a collector there. */
    static HttpResponse<String> post(String url, String json) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(url + "/v1/traces"))
                        .timeout(PATIENCE)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    Journal journal() {
        return Journal.open(folder.resolve(".rlm"));
    }

    List<RunSummary> runs() {
        return Journal.isAt(folder.resolve(".rlm")) ? journal().runs() : List.of();
    }

    /** The events of a run, once it has ended. */
    List<RunEvent> events(String runId) {
        await("the end of run " + runId)
                .atMost(PATIENCE)
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
