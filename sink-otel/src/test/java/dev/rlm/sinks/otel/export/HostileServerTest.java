package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.HostileServer;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the worst of back ends cost: nothing but what they refuse. */
@Tag("thorough")
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
@Timeout(120)
class HostileServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int STEPS = 100;
    private static final long EVENTS = 2 * STEPS + 2;

    private final String protocol;
    private final HostileServer server;

    HostileServerTest(String protocol) throws IOException {
        this.protocol = protocol;
        server = HostileServer.speaking(protocol);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void trouble_isNamed_holdsNobodyUp_andEndsInTheLedger(Trouble trouble) throws IOException {
        trouble.befall(server);
        Sinks sinks = open();
        record(sinks);
        awaitWords(sinks, trouble);

        long start = System.nanoTime();
        sinks.close(Duration.ofMillis(500));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        Awaitility.await().atMost(PATIENCE).until(() -> ledger(sinks).queued() == 0);
        assertThat(ledger(sinks).offered()).isEqualTo(EVENTS);
        assertThat(ledger(sinks).delivered()).isZero();
        assertThat(status(sinks).detail()).contains(trouble.words());
        assertThat(ledger(sinks).dropped().keySet()).isSubsetOf(trouble.reason(), "closed", "export_timeout");
    }

    @ParameterizedTest
    @EnumSource
    void trouble_thatPasses_isForgotten(Trouble trouble) throws IOException {
        trouble.befall(server);
        try (Sinks sinks = open()) {
            record(sinks);
            awaitWords(sinks, trouble);

            server.behave(HostileServer.ACCEPT);

            record(sinks);
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(status(sinks).available()).isTrue();
                assertThat(ledger(sinks).queued()).isZero();
                assertThat(ledger(sinks).delivered()).isGreaterThanOrEqualTo(EVENTS);
            });
            assertThat(sinks.flush(PATIENCE)).isNotNull();
            assertThat(ledger(sinks).offered()).isEqualTo(2 * EVENTS);
            assertThat(status(sinks).facts()).containsKeys("last_success", "last_failure");
        }
    }

    @Test
    void connections_closedWhileIdle_costNothing() throws IOException {
        try (Sinks sinks = open()) {
            for (int i = 0; i < 5; i++) {
                record(sinks);
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
                server.hangUp();
            }
            assertThat(ledger(sinks).delivered()).isEqualTo(5 * EVENTS);
            assertThat(ledger(sinks).dropped()).isEmpty();
        }
    }

    @Test
    void spans_rejectedInPart_areCountedAndNeverTooFew() throws IOException {
        server.behave(exchange -> exchange.answer(partial(3, "three are odd")));
        try (Sinks sinks = open(Map.of("OTEL_BSP_SCHEDULE_DELAY", "60000"))) { // all in one request
            record(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();

            SinkStatus status = status(sinks);
            assertThat(status.available()).isTrue();
            assertThat(status.detail()).contains("99 spans arrived, 3 rejected (“three are odd”)");
            assertThat(status.facts()).containsEntry("spans_exported", 99L).containsEntry("spans_rejected", 3L);
            assertThat(String.valueOf(status.facts().get("last_failure"))).endsWith("3 spans rejected: three are odd");
            assertThat(status.ledger().dropped()).containsExactly(Map.entry("export_rejected", 6L));
            assertThat(status.ledger().delivered()).isEqualTo(EVENTS - 6);
        }
    }

    @Test
    void spans_allRejected_areNoneDelivered() throws IOException {
        server.behave(exchange -> exchange.answer(partial(127, "not for me")));
        try (Sinks sinks = open()) {
            record(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();

            assertThat(status(sinks).available()).isFalse();
            assertThat(status(sinks).detail()).contains("rejected (“not for me”)");
            assertThat(ledger(sinks).dropped()).containsExactly(Map.entry("export_rejected", EVENTS));
        }
    }

    @Test
    void warning_ofAServer_losesNothing() throws IOException {
        server.behave(exchange -> exchange.answer(partial(0, "soon no more")));
        try (Sinks sinks = open()) {
            record(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();

            assertThat(status(sinks).available()).isTrue();
            assertThat(String.valueOf(status(sinks).facts().get("last_failure")))
                    .endsWith("warning: soon no more");
            assertThat(ledger(sinks).delivered()).isEqualTo(EVENTS);
        }
    }

    @Test
    void exporter_thatThrowsErrors_isNotTheEnd() {
        try (Sinks sinks = open(Map.of("OTEL_TRACES_EXPORTER", "throwing"))) {
            for (String error : new String[] {"OutOfMemoryError", "LinkageError"}) {
                record(sinks);
                assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();
                assertThat(status(sinks).detail()).contains("the exporter failed with java.lang." + error);
            }
            assertThat(ledger(sinks).dropped()).containsExactly(Map.entry("export_failed", 2 * EVENTS));

            record(sinks);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
            assertThat(ledger(sinks).delivered()).isEqualTo(EVENTS);
        }
    }

    /** An export's answer: in its partial success the number of rejected items and a message. */
    private static byte[] partial(int rejected, String message) {
        byte[] answer = new byte[6 + message.length()];
        answer[0] = 0x0a;
        answer[1] = (byte) (4 + message.length());
        answer[2] = 0x08;
        answer[3] = (byte) rejected;
        answer[4] = 0x12;
        answer[5] = (byte) message.length();
        for (int i = 0; i < message.length(); i++) {
            answer[6 + i] = (byte) message.charAt(i);
        }
        return answer;
    }

    private Sinks open() {
        return open(Map.of());
    }

    private Sinks open(Map<String, String> more) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", server.endpoint(),
                "OTEL_EXPORTER_OTLP_PROTOCOL", protocol,
                "OTEL_EXPORTER_OTLP_TIMEOUT", "300",
                "OTEL_BSP_EXPORT_TIMEOUT", "2000",
                "OTEL_BSP_SCHEDULE_DELAY", "100",
                "OTEL_METRIC_EXPORT_INTERVAL", "600000",
                "RLM_OTEL_METRICS_ENABLED", "false"));
        variables.putAll(more);
        return Sinks.builder()
                .add(
                        "otel",
                        new OtelSinkProvider().create(SinkConfig.of(variables).sink("otel")))
                .build();
    }

    private static void record(Sinks sinks) {
        try (Run run = sinks.startRun(RunSpec.builder("calc").build())) {
            for (int i = 0; i < STEPS; i++) {
                run.startStep().complete("");
            }
            run.complete("");
        }
    }

    private static void awaitWords(Sinks sinks, Trouble trouble) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(status(sinks).detail()).contains("last failure: ", trouble.words());
            assertThat(status(sinks).available()).isFalse();
        });
    }

    private static SinkStatus status(Sinks sinks) {
        return sinks.statuses().get(0);
    }

    private static Ledger ledger(Sinks sinks) {
        return status(sinks).ledger();
    }
}
