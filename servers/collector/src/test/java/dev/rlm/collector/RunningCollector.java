package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.FlushResult;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code rlm collect} in this process, and a client of it. */
final class RunningCollector implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration POLL = Duration.ofMillis(20);
    private static final Pattern GRPC = Pattern.compile("gRPC on (https?://[^\\s,]+)");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Path folder;
    private final RunningCli cli;
    private final String url;

    private RunningCollector(Path folder, RunningCli cli) {
        this.folder = folder;
        this.cli = cli;
        this.url = cli.awaitUrl();
    }

    /** Starts it with runs that end 200 ms after their last span. */
    static RunningCollector start(Path folder, String... options) throws IOException {
        return start(folder, Map.of(), options);
    }

    static RunningCollector start(Path folder, Map<String, String> variables, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("collect", "--port", "0", "--quiet-time", "200ms"));
        arguments.addAll(List.of(options));
        return new RunningCollector(folder, RunningCli.start(folder, variables, arguments.toArray(String[]::new)));
    }

    /** Returns the variables by which spans alone go to that address, with others. */
    static Map<String, String> spansTo(String endpoint, Map<String, String> others) {
        Map<String, String> variables = new HashMap<>(others);
        variables.put("RLM_OTEL_ENABLED", "true");
        variables.put("RLM_OTEL_METRICS_ENABLED", "false");
        variables.put("RLM_OTEL_LOGS_ENABLED", "false");
        variables.put("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        return variables;
    }

    /** Returns what it has said so far. */
    String err() {
        return cli.err();
    }

    String url() {
        return url;
    }

    String grpcUrl() {
        Matcher said = GRPC.matcher(err());
        assertThat(said.find()).as(err()).isTrue();
        return said.group(1);
    }

    HttpResponse<byte[]> post(String path, byte[] body, String... headers) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .timeout(PATIENCE)
                        .headers(headers)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Posts JSON. */
    HttpResponse<byte[]> post(String path, String json) throws IOException, InterruptedException {
        return post(path, json.getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json");
    }

    private Path place() {
        return folder.resolve(".rlm");
    }

    Journal journal() {
        return Journal.open(place());
    }

    List<MetricsReported> numbers() {
        return Journal.isAt(place()) ? journal().metrics() : List.of();
    }

    /** Sends numbers of training with the OpenTelemetry sink, which has these variables; some of its own if none are given. */
    FlushResult sendNumbers(Map<String, String> variables, MetricsReported... given) {
        Map<String, String> all = new HashMap<>(variables);
        all.put("RLM_JSONL_ENABLED", "false");
        all.put("RLM_OTEL_ENABLED", "true");
        List<MetricsReported> numbers = given.length > 0
                ? List.of(given)
                : List.of(new MetricsReported(Instant.EPOCH, "trainer", "global_step", Map.of("global_step", 1.0)));
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(all)).build()) {
            numbers.forEach(sinks::publish);
            return sinks.flush(PATIENCE);
        }
    }

    List<RunSummary> runs() {
        return Journal.isAt(place()) ? journal().runs() : List.of();
    }

    /** The events of a run, once it has ended. */
    List<RunEvent> events(String runId) {
        await("the end of run " + runId)
                .atMost(PATIENCE)
                .pollInterval(POLL)
                .until(
                        this::runs,
                        runs -> runs.stream()
                                .anyMatch(run ->
                                        run.runId().equals(runId) && run.row().end() != null));
        return journal().events(runId);
    }

    /** Ends it, with its journal as it was before: as a kill leaves it. */
    void kill() throws Exception {
        Path before = folder.resolve("before-the-end");
        SortedMap<Path, String> files;
        do { // until nothing has been written meanwhile
            files = files();
            delete(before);
            for (Path file : files.keySet()) {
                Files.copy(file, before.resolve(place().relativize(file)));
            }
        } while (!files.equals(files()));
        stop();
        delete(place());
        Files.move(before, place());
    }

    /** Returns what is in its journal, folders before their files, each with what changes when it is written. */
    private SortedMap<Path, String> files() throws IOException {
        SortedMap<Path, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(place())) {
            for (Path each : all.toList()) {
                files.put(each, Files.size(each) + " " + Files.getLastModifiedTime(each));
            }
        }
        return files;
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    /** Ends it in order. */
    void stop() throws InterruptedException {
        assertThat(cli.stop()).as(err()).isEqualTo(Interruption.EXIT_CODE);
    }

    @Override
    public void close() throws InterruptedException {
        cli.close();
    }
}
