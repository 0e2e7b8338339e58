package dev.rlm.sinks.otel;

import static dev.rlm.sinks.otel.InstrumentedProgram.CALLS;
import static dev.rlm.sinks.otel.InstrumentedProgram.SPANS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.rlm.sinks.otel.InstrumentedProgram.Telemetry;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerSpan;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.otel.spans.Ids;
import io.opentelemetry.api.trace.SpanKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real programs whose calls are instrumented, by the real Java agent or by themselves: all is one trace. */
@Tag("thorough")
@Timeout(300)
class JavaAgentTest {
    private static final String SCOPE = "dev.rlm.sinks.otel";
    private static final String OWN_TRACE = Ids.of("r").traceId();
    private static final List<String> AGENT = List.of("-javaagent:"
            + Path.of("target/javaagent/opentelemetry-javaagent.jar").toAbsolutePath());

    private final OtlpReceiver receiver = OtlpReceiver.start();
    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

    JavaAgentTest() throws IOException {}

    @BeforeEach
    void start() {
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        receiver.close();
    }

    @ParameterizedTest
    @CsvSource({"auto, the OpenTelemetry of the Java agent", "own, http://127.0.0.1"})
    void calls_underTheAgent_areInTheSpansOfTheRun(String sdk, String detail) throws Exception {
        String said = run(thisJava(), AGENT, Map.of("RLM_OTEL_SDK", sdk), Telemetry.NONE);

        assertThat(said).contains("sink: " + detail).doesNotContain("WARN", "ERROR");
        String trace = oneTrace();
        assertThat(trace.equals(OWN_TRACE)).isEqualTo(sdk.equals("own"));
        assertThat(receiver.spans())
                .filteredOn(span -> span.scope().equals("io.opentelemetry.jdbc"))
                .isNotEmpty()
                .allSatisfy(query ->
                        assertThat(query.parentId()).isEqualTo(only("rlm.step").spanId()));
    }

    @Tag("thorough")
    @Test
    void calls_underTheAgent_areInOneTraceOfJaeger() throws Exception {
        try (JaegerServer jaeger = JaegerServer.start()) {
            run(thisJava(), AGENT, variables(jaeger.httpEndpoint()), Telemetry.NONE);

            List<JaegerTrace> traces = jaeger.awaitTraces("rlm", 1);
            assertThat(traces).hasSize(1);
            JaegerTrace trace = traces.get(0);
            CALLS.forEach((path, span) -> assertThat(trace.spans("GET"))
                    .filteredOn(
                            call -> String.valueOf(call.tags().get("url.full")).endsWith(path))
                    .singleElement()
                    .extracting(JaegerSpan::parentId)
                    .isEqualTo(trace.spans(span).get(0).spanId()));
            assertThat(trace.warnings()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "auto, GLOBAL, the global OpenTelemetry of the program, true",
        "own, GLOBAL, http://127.0.0.1, true",
        "auto, PRIVATE, http://127.0.0.1, false"
    })
    void calls_inAProgramWithAnSdk_areInTheSpansOfTheRun(String sdk, Telemetry telemetry, String detail, boolean global)
            throws Exception {
        String said = run(thisJava(), List.of(), Map.of("RLM_OTEL_SDK", sdk), telemetry);

        assertThat(said).contains("sink: " + detail, "global: " + global);
        String trace = oneTrace();
        assertThat(trace.equals(OWN_TRACE)).isEqualTo(!detail.startsWith("the global"));
    }

    @Test
    void calls_onVirtualThreads_areInTheSpansOfTheRun() throws Exception {
        Optional<Path> java = newerJava();
        assumeTrue(java.isPresent(), "no Java with virtual threads (21 or newer) is installed here");
        String said = run(java.orElseThrow(), List.of(), Map.of(), Telemetry.PRIVATE);

        assertThat(said).contains("thread: VirtualThread", "global: false");
        assertThat(oneTrace()).isEqualTo(OWN_TRACE);
    }

    private String run(Path java, List<String> options, Map<String, String> variables, Telemetry telemetry)
            throws Exception {
        Map<String, String> all = new HashMap<>(variables(receiver.httpEndpoint()));
        all.putAll(variables);
        int port = server.getAddress().getPort();
        return InstrumentedProgram.run(java, options, all, telemetry, "http://127.0.0.1:" + port);
    }

    private static Map<String, String> variables(String endpoint) {
        return Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", endpoint,
                "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                "OTEL_SERVICE_NAME", "rlm",
                "OTEL_METRICS_EXPORTER", "none",
                "OTEL_LOGS_EXPORTER", "none",
                "RLM_OTEL_METRICS_ENABLED", "false");
    }

    /** All that has arrived, which is to be one trace, each span where it belongs; its id. */
    private String oneTrace() {
        List<OtlpSpan> spans = receiver.spans();
        assertThat(spans)
                .extracting(OtlpSpan::traceId)
                .containsOnly(spans.get(0).traceId());
        assertThat(spans).filteredOn(span -> span.scope().equals(SCOPE)).hasSize(SPANS.size() + 1);
        SPANS.forEach((name, parent) -> assertThat(only(name).parentId())
                .as(name)
                .isEqualTo(only(parent).spanId()));
        assertThat(spans)
                .filteredOn(
                        span -> span.kind() == SpanKind.CLIENT && span.name().equals("GET"))
                .hasSize(CALLS.size())
                .allSatisfy(call -> assertThat(call.parentId()).isEqualTo(parentOf(call)));
        assertThat(only("rlm.run").parentId()).isEmpty();
        return spans.get(0).traceId();
    }

    private String parentOf(OtlpSpan call) {
        String url = String.valueOf(call.attributes().get("url.full"));
        return only(CALLS.getOrDefault(url.substring(url.lastIndexOf('/')), url))
                .spanId();
    }

    private OtlpSpan only(String name) {
        assertThat(receiver.spans(name)).as(name).hasSize(1);
        return receiver.spans(name).get(0);
    }

    private static Path thisJava() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** This process's Java or another that is installed, if one has virtual threads. */
    private static Optional<Path> newerJava() throws IOException {
        Path installed = Path.of("/usr/lib/jvm");
        try (Stream<Path> others = Files.isDirectory(installed) ? Files.list(installed) : Stream.empty()) {
            return Stream.concat(Stream.of(Path.of(System.getProperty("java.home"))), others)
                    .filter(home -> Files.exists(home.resolve("lib/modules")) && hasVirtualThreads(home))
                    .map(home -> home.resolve("bin/java"))
                    .filter(Files::isExecutable)
                    .findFirst();
        }
    }

    private static boolean hasVirtualThreads(Path home) {
        try {
            return Files.readString(home.resolve("release")).matches("(?s).*JAVA_VERSION=\"(2[1-9]|[3-9]\\d).*");
        } catch (IOException e) {
            return false;
        }
    }
}
