package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.testkit.Events;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs that are written to a stream in the place of being sent. */
@Timeout(120)
class FileExportTest {
    private static final OtelSinkProvider PROVIDER = new OtelSinkProvider();
    private static final int RUNS = 1_000;

    @Tag("thorough")
    @Test
    void spans_areThoseThatAreSent() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        write(file, Map.of("RLM_CAPTURE_CONTENT", "full"));
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            Map<String, String> variables = Map.of(
                    "RLM_CAPTURE_CONTENT", "full",
                    "RLM_OTEL_METRICS_ENABLED", "false",
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());
            SinkConfig config = SinkConfig.of(variables).sink(OtelSinkProvider.NAME);
            try (Sinks sinks = Sinks.builder()
                    .add("otel", PROVIDER.create(config))
                    .resending()
                    .build()) {
                publish(sinks);
            }
            Set<String> sent = receiver.spans().stream()
                    .map(span -> span.traceId() + " " + span.spanId() + " " + span.name())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(spans(file)).hasSizeGreaterThan(RUNS).isEqualTo(sent);
        }
    }

    @Test
    void share_doesNotHold() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteArrayOutputStream share = new ByteArrayOutputStream();
        write(all, Map.of());
        write(share, Map.of("RLM_OTEL_SUCCESS_RATIO", "0"));
        assertThat(share.toByteArray()).isEqualTo(all.toByteArray());
    }

    @Tag("thorough")
    @Test
    void sameRuns_makeTheSameFile_inLinesOfBoundedSize() {
        ByteArrayOutputStream one = new ByteArrayOutputStream();
        ByteArrayOutputStream other = new ByteArrayOutputStream();
        write(one, Map.of());
        write(other, Map.of());
        assertThat(one.toByteArray()).isEqualTo(other.toByteArray());
        assertThat(lines(one)).hasSizeGreaterThan(1).allMatch(line -> line.length() < 4 << 20);
    }

    @Test
    void streamThatFails_losesTheEvents_andIsNotWrittenToAgain() {
        OutputStream full = new OutputStream() {
            private boolean failed;

            @Override
            public void write(int value) throws IOException {
                assertThat(failed).isFalse();
                failed = true;
                throw new IOException("No space left on device");
            }
        };
        Ledger ledger = write(full, Map.of());
        assertThat(ledger.delivered()).isZero();
        assertThat(ledger.lost()).isEqualTo(ledger.offered());
    }

    @Test
    void otherFormat_isRefused() {
        SinkConfig config = SinkConfig.of(Map.of());
        assertThat(PROVIDER.exportFormats()).containsExactly("otlp");
        assertThatThrownBy(() -> PROVIDER.createExport("zipkin", OutputStream.nullOutputStream(), config))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("sink 'otel' writes no format 'zipkin'");
    }

    private static Ledger write(OutputStream to, Map<String, String> variables) {
        try (Sinks sinks = Sinks.builder()
                .add("otlp", PROVIDER.createExport("otlp", to, SinkConfig.of(variables)))
                .resending()
                .build()) {
            publish(sinks);
            return sinks.statuses().get(0).ledger();
        }
    }

    private static void publish(Sinks sinks) {
        IntStream.range(0, RUNS)
                .forEach(i -> Events.full("run-" + i).stream().limit(10).forEach(sinks::publish));
        var unused = sinks.flush(Duration.ofSeconds(60));
    }

    private static List<String> lines(ByteArrayOutputStream file) {
        return file.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static Set<String> spans(ByteArrayOutputStream file) {
        JsonMapper json = new JsonMapper();
        return lines(file).stream()
                .map(json::readTree)
                .flatMap(line -> line.findValues("spans").stream())
                .flatMap(JsonNode::valueStream)
                .map(span -> span.path("traceId").asString() + " "
                        + span.path("spanId").asString() + " "
                        + span.path("name").asString())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
