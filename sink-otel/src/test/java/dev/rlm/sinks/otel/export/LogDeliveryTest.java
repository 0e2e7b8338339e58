package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.HostileServer;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpLog;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpRequest;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.testkit.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Where log records go, what is known of them, and how little it matters to all else where they go wrong. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
@Timeout(60)
class LogDeliveryTest {
    private static final long EVENTS = 4; // of a run, see record
    private static final int MANY = 5_000; // more than the buffer holds
    private static final Map<String, String> REWARDS = Map.of("RLM_OTEL_LOGS_REWARDS", "true");

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.rlm.sinks.otel");
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private final String protocol;

    LogDeliveryTest(String protocol) {
        this.protocol = protocol;
    }

    @BeforeEach
    void listen() {
        said.start();
        logger.addAppender(said);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(said);
    }

    @Test
    void records_withoutFlush_leaveByThemselves() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            record(rig);

            rig.receiver().await(seen -> seen.logs().size() == 1);
            Waiting.await()
                    .untilAsserted(() -> assertThat(rig.status().facts())
                            .containsEntry("logs_exported", 1L)
                            .containsEntry("logs_rejected", 0L)
                            .containsKeys("logs_target", "logs_last_success"));
        }
    }

    @Test
    void burst_arrivesWhole() throws IOException {
        try (Rig rig = Rig.by(protocol, REWARDS)) {
            reward(rig, MANY);
            rig.flush();

            assertThat(rig.receiver().logs()).hasSize(MANY + 1);
            isComplete(rig.ledger(), MANY + 2);
        }
    }

    @Test
    void refused_withMetrics_isSaidInOneLine_andNoMoreAreSent() throws IOException {
        for (boolean logsFirst : new boolean[] {true, false}) {
            try (Rig rig = Rig.by(protocol, logsFirst ? Map.of() : Map.of("OTEL_BLRP_SCHEDULE_DELAY", "600000"))) {
                rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.REFUSE);
                rig.receiver().answer(OtlpSignal.LOGS, OtlpAnswer.REFUSE);
                for (int i = 0; i < 3; i++) {
                    record(rig);
                    if (logsFirst) { // they leave by themselves, and metrics are asked about
                        Waiting.await().until(() -> rig.status().facts().containsKey("metrics_refused"));
                    }
                    rig.flush();
                }

                assertThat(rig.receiver().requests(OtlpSignal.METRICS).size()).isBetween(1, logsFirst ? 1 : 2);
                assertThat(rig.receiver().requests(OtlpSignal.LOGS).size()).isBetween(1, logsFirst ? 1 : 2);
                assertThat(rig.status().available()).isTrue();
                assertThat(rig.status().facts()).containsKeys("metrics_refused", "logs_refused");
                isComplete(rig.ledger(), 3 * EVENTS);
                assertThat(said(target(rig)))
                        .singleElement()
                        .satisfies(
                                line -> assertThat(line)
                                        .contains("takes no metrics and no logs, ")
                                        .endsWith(
                                                "(RLM_OTEL_METRICS_ENABLED=false and RLM_OTEL_LOGS_ENABLED=false say so beforehand)"));
            }
        }
    }

    @Test
    void refused_alone_isSaidOnce_andMetricsGoOn() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.LOGS, OtlpAnswer.REFUSE);
            for (int i = 0; i < 3; i++) {
                record(rig);
                rig.flush();
            }

            assertThat(rig.receiver().requests(OtlpSignal.LOGS)).hasSize(1);
            assertThat(rig.receiver().numbers("rlm.runs")).isNotEmpty();
            assertThat(said(target(rig)))
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .contains("takes no logs, ")
                            .endsWith("(RLM_OTEL_LOGS_ENABLED=false says so beforehand)"));
        }
    }

    @Test
    void check_takesARefusalForAHint() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            assertThat(rig.sink().check(Duration.ofSeconds(20)).facts()).containsEntry("check_logs", "taken");

            rig.receiver().answer(OtlpSignal.LOGS, OtlpAnswer.REFUSE);
            Sink.Health refused = rig.sink().check(Duration.ofSeconds(20));
            assertThat(refused.available()).isTrue();
            assertThat(refused.facts())
                    .containsEntry("check_logs", "not taken (RLM_OTEL_LOGS_ENABLED=false turns them off)");

            rig.receiver().answer(OtlpSignal.LOGS, OtlpAnswer.REJECT);
            assertThat(rig.sink().check(Duration.ofSeconds(20)).available()).isFalse();
        }
    }

    @Test
    void failing_makesAFlushIncomplete_andHarmsNothingElse() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.LOGS, OtlpAnswer.UNAVAILABLE);
            record(rig);
            assertThat(rig.tryToFlush()).isFalse();

            isComplete(rig.ledger(), EVENTS);
            assertThat(rig.status().available()).isTrue();
            assertThat(rig.status().detail()).contains("3 spans arrived, logs: ");
            String reason = protocol.equals(Rig.GRPC) ? "export_grpc_unavailable" : "export_http_503";
            assertThat(rig.status().facts()).containsEntry("logs_failed." + reason, 1L);

            rig.receiver().answer(OtlpSignal.LOGS, OtlpAnswer.ACCEPT);
            record(rig);
            rig.flush();
            assertThat(rig.status().detail()).doesNotContain("logs: ");
            assertThat(rig.receiver().logs()).hasSize(1);
        }
    }

    @Tag("thorough")
    @Test
    void hanging_holdsUpNeitherSpansNorTheClose_andWhatFindsNoRoomIsCounted() throws IOException {
        Rig rig = Rig.by(protocol, REWARDS);
        String target = target(rig);
        try (rig) {
            rig.receiver().answer(OtlpSignal.LOGS, OtlpAnswer.HANG);
            reward(rig, MANY);

            rig.receiver().await(seen -> !seen.spans("rlm.run").isEmpty());
            Waiting.await().until(() -> rig.ledger().queued() == 0);
            isComplete(rig.ledger(), MANY + 2);
            assertThat(rig.status().available()).isTrue();
            assertThat(rig.status().detail()).contains("logs: nothing has answered so far");
            assertThat(count(rig, "logs_failed.buffer_full")).isPositive();

            long start = System.nanoTime();
            rig.sinks().close(Duration.ofMillis(500));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        }
        Waiting.await()
                .untilAsserted(() -> assertThat(rig.status().facts().entrySet().stream()
                                .filter(fact -> fact.getKey().startsWith("logs_failed."))
                                .mapToLong(fact -> (Long) fact.getValue())
                                .sum())
                        .as("every record is accounted for")
                        .isEqualTo(MANY + 1));
        assertThat(said(target)).singleElement().asString().startsWith("logs cannot be sent to ");
        assertThat(rig.receiver().numbers("rlm.runs"))
                .as("metrics, which are sent last")
                .isNotEmpty();
    }

    private static long count(Rig rig, String fact) {
        return (Long) rig.status().facts().getOrDefault(fact, 0L);
    }

    @Test
    void credential_thatAServerQuotes_isShownNowhere() throws IOException {
        try (OtlpReceiver spans = OtlpReceiver.start();
                HostileServer server = HostileServer.speaking(protocol)) {
            server.behave(HostileServer.Behaviour.status(401, "text/plain", "no key like k-123456 here", Map.of()));
            Map<String, String> variables = Map.of(
                    "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
                    server.endpoint(),
                    "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
                    "authorization=Bearer%20k-123456");
            try (Rig rig = Rig.by(protocol, variables)) {
                record(rig);
                assertThat(rig.tryToFlush()).isFalse();

                assertThat(rig.status().toString())
                        .contains("logs: ", "credentials are missing or wrong")
                        .doesNotContain("k-123456");
                assertThat(rig.receiver().requests())
                        .isNotEmpty()
                        .noneMatch(request -> request.headers().containsKey("authorization"));
            }
            assertThat(said.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .noneMatch(line -> line.contains("k-123456"));
        }
    }

    // ---- where to

    @Test
    void endpoint_ofLogs_isTheirsAlone() throws IOException {
        try (OtlpReceiver loki = OtlpReceiver.start();
                Rig rig = Rig.by(protocol, Map.of("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", endpoint(loki, "/v1/logs")))) {
            record(rig);
            rig.flush();

            assertThat(loki.requests()).extracting(OtlpRequest::signal).containsOnly(OtlpSignal.LOGS);
            assertThat(rig.receiver().requests(OtlpSignal.LOGS)).isEmpty();
        }
    }

    @Test
    void endpoint_ofTracesAlone_meansNoLogs() throws IOException {
        try (OtlpReceiver mlflow = OtlpReceiver.start()) {
            Map<String, String> variables = Map.of(
                    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                    endpoint(mlflow, "/v1/traces"),
                    "OTEL_EXPORTER_OTLP_PROTOCOL",
                    protocol);
            for (String sink : List.of("otel", "otel-2")) {
                String prefix = sink.equals("otel") ? "" : "RLM_OTEL_2_";
                Map<String, String> own = new TreeMap<>(Map.of("RLM_OTEL_2_METRICS_ENABLED", "false"));
                variables.forEach(
                        (name, value) -> own.put(prefix.isEmpty() ? name : name.replace("OTEL_", prefix), value));
                try (Sink made =
                        new OtelSinkProvider().create(SinkConfig.of(own).sink(sink))) {
                    assertThat(made.status().facts()).containsKey("target").doesNotContainKey("logs_target");
                }
            }
        }
    }

    @Test
    void furtherSink_thatIsToSendLogs_needsAnEndpointForThem() throws IOException {
        try (OtlpReceiver loki = OtlpReceiver.start()) {
            Map<String, String> variables = new TreeMap<>(Map.of(
                    "RLM_OTEL_LOKI_TRACES_EXPORTER", "none",
                    "RLM_OTEL_LOKI_METRICS_ENABLED", "false",
                    "RLM_OTEL_LOKI_LOGS_ENABLED", "true",
                    "RLM_OTEL_LOKI_EXPORTER_OTLP_PROTOCOL", protocol));
            assertThatThrownBy(() -> further(variables).close())
                    .isInstanceOf(SinkConfigException.class)
                    .hasMessageStartingWith("RLM_OTEL_LOKI_EXPORTER_OTLP_LOGS_ENDPOINT is not set");

            variables.put("RLM_OTEL_LOKI_EXPORTER_OTLP_LOGS_ENDPOINT", endpoint(loki, "/v1/logs"));
            try (OtelSink sink = further(variables)) {
                Published run = new Published("r");
                sink.onEvent(run.started());
                sink.onEvent(run.ended(2));
                assertThat(sink.flush(Duration.ofSeconds(20))).isTrue();

                assertThat(sink.status().available()).isTrue();
                assertThat(loki.logs())
                        .singleElement()
                        .returns(sink.traceId("r").orElseThrow(), OtlpLog::traceId);
            }
        }
    }

    private static OtelSink further(Map<String, String> variables) {
        return (OtelSink) new OtelSinkProvider().create(SinkConfig.of(variables).sink("otel-loki"));
    }

    private String endpoint(OtlpReceiver receiver, String path) {
        return protocol.equals(Rig.GRPC) ? receiver.grpcEndpoint() : receiver.httpEndpoint() + path;
    }

    private String target(Rig rig) {
        return endpoint(rig.receiver(), "") + " ";
    }

    private List<String> said(String target) {
        return said.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(target)) // others may still be closing
                .toList();
    }

    private static void isComplete(Ledger ledger, long events) {
        assertThat(ledger).isEqualTo(new Ledger(events, events, new TreeMap<>(), 0));
    }

    private static void record(Rig rig) {
        try (Run run = rig.startRun(String.valueOf(System.nanoTime()))) {
            run.startStep().complete("");
            run.complete("");
        }
    }

    private static void reward(Rig rig, int rewards) {
        try (Run run = rig.startRun("r")) {
            for (int i = 0; i < rewards; i++) {
                run.reward(i);
            }
            run.complete("");
        }
    }
}
