package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A real Jaeger that is given a file of {@code rlm export --format otlp}, held against one that was sent the runs. */
@Tag("thorough")
class JaegerExportTest {
    private static final int RUNS = 80;

    @RegisterExtension
    private static final JaegerServer fromFile = JaegerServer.create();

    @RegisterExtension
    private static final JaegerServer live = JaegerServer.create();

    @TempDir
    private Path folder;

    @Test
    void tracesOfTheFile_areThoseOfTheRuns() throws Exception {
        Map<String, String> variables = Map.of(
                "RLM_JSONL_DIR",
                folder.resolve("journal").toString(),
                "RLM_OTEL_ENABLED",
                "true",
                "RLM_OTEL_METRICS_ENABLED",
                "false",
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                live.httpEndpoint());
        Path file = folder.resolve("runs.jsonl");
        assertThat(Cli.with(variables, "run").exitCode()).isZero();
        assertThat(Cli.with(variables, "export", "--format", "otlp", "--output", file.toString())
                        .exitCode())
                .isZero();

        for (String line : Files.readAllLines(file)) {
            assertThat(post(line)).isEqualTo(200);
        }

        List<JaegerTrace> expected = live.awaitTraces("rlm", RUNS + 1).stream()
                .filter(trace -> trace.spans("rlm.job").isEmpty()) // which is of no run
                .toList();
        List<JaegerTrace> traces = fromFile.awaitTraces("rlm", RUNS);
        assertThat(byId(traces)).isEqualTo(byId(expected)).hasSize(RUNS);
        assertThat(traces).allSatisfy(trace -> assertThat(trace.warnings()).isEmpty());
    }

    private static int post(String line) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(fromFile.httpEndpoint() + "/v1/traces"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(line))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    /** The spans of each trace, in whatever order they came. */
    private static Map<String, Set<?>> byId(List<JaegerTrace> traces) {
        return traces.stream().collect(Collectors.toMap(JaegerTrace::traceId, trace -> Set.copyOf(trace.spans())));
    }
}
