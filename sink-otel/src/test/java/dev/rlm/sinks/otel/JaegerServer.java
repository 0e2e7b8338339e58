package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real Jaeger v2 with an empty memory of its own: the binary that {@code JAEGER_BIN} names where it is set, else a
 * container where Docker answers.
 *
 * <p>Where there is neither, {@link #start()} skips the test, or fails it if {@code RLM_REQUIRE_BACKENDS} is true.
 */
final class JaegerServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final String MISSING = "No Jaeger: set JAEGER_BIN to a Jaeger v2 binary, or start Docker.";

    private final HttpClient client = HttpClient.newHttpClient();
    private final JsonMapper json = new JsonMapper();
    private final JaegerHost host;

    private JaegerServer(JaegerHost host) {
        this.host = host;
    }

    /** Starts a Jaeger and returns when it is ready. */
    static JaegerServer start() throws IOException {
        String binary = System.getenv("JAEGER_BIN");
        if (binary != null && !binary.isBlank()) {
            return new JaegerServer(JaegerProcess.start(Path.of(binary)));
        }
        if (!JaegerContainer.dockerAnswers()) {
            giveUp(System.getenv("RLM_REQUIRE_BACKENDS"));
        }
        return new JaegerServer(JaegerContainer.start());
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=grpc}. */
    String grpcEndpoint() {
        return url(JaegerPort.OTLP_GRPC);
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf}, without a signal's path. */
    String httpEndpoint() {
        return url(JaegerPort.OTLP_HTTP);
    }

    List<String> services() {
        return JaegerSpan.strings(data("/api/services").orElseThrow());
    }

    /** The traces in which this service has a span, at most so many. */
    List<JaegerTrace> traces(String service, int limit) {
        String name = URLEncoder.encode(service, StandardCharsets.UTF_8);
        return data("/api/traces?service=" + name + "&limit=" + limit)
                .orElseThrow()
                .valueStream()
                .map(JaegerTrace::of)
                .toList();
    }

    Optional<JaegerTrace> trace(String traceId) {
        return data("/api/traces/" + traceId).map(found -> JaegerTrace.of(found.path(0)));
    }

    /** Waits until this service has at least so many traces, and returns all of them (up to twice as many). */
    List<JaegerTrace> awaitTraces(String service, int count) {
        await().untilAsserted(() -> assertThat(traces(service, 2 * count)).hasSizeGreaterThanOrEqualTo(count));
        return traces(service, 2 * count);
    }

    /** Waits until this trace has at least so many spans. */
    JaegerTrace awaitTrace(String traceId, int spans) {
        await().untilAsserted(() -> assertThat(trace(traceId).map(JaegerTrace::spans))
                .hasValueSatisfying(found -> assertThat(found).hasSizeGreaterThanOrEqualTo(spans)));
        return trace(traceId).orElseThrow();
    }

    /** Ends the process or container and waits for its end. */
    @Override
    public void close() {
        host.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE).pollInterval(POLL);
    }

    private String url(JaegerPort port) {
        return "http://" + host.address() + ":" + host.port(port);
    }

    /** The {@code data} of an answer, or nothing where Jaeger does not know the trace. */
    private Optional<JsonNode> data(String path) {
        HttpResponse<String> answer = get(URI.create(url(JaegerPort.QUERY) + path));
        if (answer.statusCode() == 404) {
            return Optional.empty();
        }
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Optional.of(json.readTree(answer.body()).path("data"));
    }

    private HttpResponse<String> get(URI uri) {
        try {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void giveUp(@Nullable String required) {
        if ("true".equalsIgnoreCase(required)) {
            throw new AssertionError(MISSING);
        }
        // The report alone tells nobody who watches the build that a back end was not tried.
        System.err.println("Skipped: " + MISSING);
        Assumptions.abort(MISSING);
    }
}
