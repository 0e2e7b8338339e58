package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.HostileServer;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpRequest;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Several requests of spans that are open at once, over real sockets. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
@Timeout(60)
class RequestsInFlightTest {
    private static final int MOST = 4; // requests at once
    private static final int BATCH = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Requests of ten spans, which leave when they are full, and what fails is sent again. */
    private static final Map<String, String> TENS = Map.of(
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", String.valueOf(BATCH),
            "OTEL_BSP_SCHEDULE_DELAY", "600000",
            "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "false",
            "RLM_OTEL_METRICS_ENABLED", "false",
            "RLM_OTEL_LOGS_ENABLED", "false");

    private final String protocol;

    RequestsInFlightTest(String protocol) {
        this.protocol = protocol;
    }

    @Test
    void request_thatFailsWhileAnotherIsTaken_isMadeAgain_withoutLossOrDouble() throws IOException {
        try (Rig rig = Rig.by(protocol, TENS)) {
            List<OtlpRequest> open = openTwo(rig);
            answerTheFirst(rig, open.get(0), OtlpAnswer.UNAVAILABLE);
            rig.flush();

            assertThat(requests(rig)).hasSize(3);
            assertThat(requests(rig).get(2).spans()).isEqualTo(open.get(0).spans());
            assertThat(rig.receiver().spans())
                    .hasSize(2 * BATCH)
                    .extracting(OtlpSpan::spanId)
                    .doesNotHaveDuplicates();
            assertThat(rig.ledger()).isEqualTo(new Ledger(38, 38, new TreeMap<>(), 0));
            assertThat(rig.status().facts()).containsEntry("spans_exported", 20L);
        }
    }

    @Test
    void request_thatIsRefusedWhileAnotherIsTaken_isLostOnce() throws IOException {
        try (Rig rig = Rig.by(protocol, TENS)) {
            List<OtlpRequest> open = openTwo(rig);
            answerTheFirst(rig, open.get(0), OtlpAnswer.REJECT);
            assertThat(rig.tryToFlush()).isFalse();

            assertThat(requests(rig)).hasSize(2);
            assertThat(rig.receiver().spans()).isEqualTo(open.get(1).spans());
            assertThat(rig.ledger().offered()).isEqualTo(38);
            assertThat(rig.ledger().delivered() + rig.ledger().droppedTotal()).isEqualTo(38);
            assertThat(rig.ledger().dropped())
                    .hasSize(1)
                    .containsValue(events(open.get(0).spans()));
        }
    }

    /** Has two requests under way, of which neither has an answer. */
    private static List<OtlpRequest> openTwo(Rig rig) {
        rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
        record(rig.sinks(), 2 * BATCH - 2);
        rig.receiver().await(seen -> seen.requests(OtlpSignal.TRACES).size() == 2);
        return requests(rig);
    }

    /** Answers so to that one, once, and takes all others. */
    private static void answerTheFirst(Rig rig, OtlpRequest first, OtlpAnswer answer) {
        AtomicBoolean answered = new AtomicBoolean();
        rig.receiver()
                .answer(
                        OtlpSignal.TRACES,
                        request -> request.equals(first) && answered.compareAndSet(false, true)
                                ? answer
                                : OtlpAnswer.ACCEPT);
    }

    /** How many events the spans stand for. */
    private static long events(List<OtlpSpan> spans) {
        return spans.stream()
                .mapToLong(span -> span.name().equals("rlm.step") ? 2 : 1)
                .sum();
    }

    @Test
    void requests_areNoMoreThanFourAtOnce_andTheLaneIsTheQueue() throws IOException {
        try (Rig rig = Rig.by(protocol, TENS)) {
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
            int steps = 1_000;
            record(rig.sinks(), steps);
            rig.receiver().await(seen -> seen.requests(OtlpSignal.TRACES).size() == MOST);
            assertThat(rig.sinks().flush(Duration.ofMillis(200)).isComplete()).isFalse();
            assertThat(requests(rig)).hasSize(MOST);
            assertThat(rig.ledger().queued()).isEqualTo(2L * steps + 2);

            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
            rig.flush();
            assertThat(rig.receiver().spans())
                    .hasSize(steps + 2)
                    .extracting(OtlpSpan::spanId)
                    .doesNotHaveDuplicates();
            assertThat(rig.ledger().delivered()).isEqualTo(2L * steps + 2);
        }
    }

    @Test
    void close_whileSeveralHang_countsAllOfThem() throws IOException {
        Rig rig = Rig.by(protocol, TENS);
        try (rig) {
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
            record(rig.sinks(), 100);
            rig.receiver().await(seen -> seen.requests(OtlpSignal.TRACES).size() == MOST);
            rig.sinks().close(Duration.ofMillis(200));

            Waiting.await().until(() -> rig.ledger().queued() == 0);
            assertThat(rig.ledger().droppedTotal()).isEqualTo(202);
            assertThat(rig.ledger().dropped()).containsOnlyKeys("closed", "export_timeout");
        }
    }

    @Test
    void server_thatAsksToBeLeftAlone_isLeftAloneByAll() throws IOException {
        try (HostileServer server = HostileServer.speaking(protocol)) {
            server.behave(protocol.equals(Rig.GRPC) ? TransportTest::unavailableForAnHour : TransportTest.HOUR);
            try (Sinks sinks = sinks(server, Map.of())) {
                record(sinks, BATCH - 2);
                Waiting.await().until(() -> !sinks.statuses().get(0).available());

                record(sinks, 3 * BATCH - 2);
                assertThat(sinks.flush(Duration.ofMillis(200)).isComplete()).isFalse();
                assertThat(server.requests()).isEqualTo(1);
                sinks.close(Duration.ofMillis(200));
                assertThat(sinks.statuses().get(0).ledger().droppedTotal()).isEqualTo(18 + 58);
            }
        }
    }

    @Tag("thorough")
    @Test
    void connection_thatHangs_isLeft_alsoWhileOthersAreUnderWayThere() throws IOException {
        AtomicReference<Object> hanging = new AtomicReference<>();
        try (HostileServer server = HostileServer.speaking(protocol)) {
            server.behave(exchange -> {
                hanging.compareAndSet(null, exchange);
                if (hanging.get() == exchange) {
                    exchange.stall();
                } else {
                    exchange.answer(new byte[0]);
                }
            });
            Map<String, String> staggered = Map.of(
                    "OTEL_BSP_SCHEDULE_DELAY", "500",
                    "OTEL_EXPORTER_OTLP_TIMEOUT", "1000",
                    "OTEL_BSP_EXPORT_TIMEOUT", "2200");
            try (Sinks sinks = sinks(server, staggered)) {
                record(sinks, BATCH + 1); // a request at once, another half a second later
                assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> sinks.statuses().get(0).ledger().queued() == 0);
                assertThat(sinks.statuses().get(0).ledger().delivered()).isEqualTo(2 * (BATCH + 1) + 2);
            }
        }
    }

    private Sinks sinks(HostileServer server, Map<String, String> more) {
        Map<String, String> variables = new HashMap<>(TENS);
        variables.putAll(more);
        return Sinks.builder()
                .add("otel", TransportTest.sink(protocol, server.endpoint(), variables))
                .build();
    }

    private static List<OtlpRequest> requests(Rig rig) {
        OtlpReceiver receiver = rig.receiver();
        return receiver.requests(OtlpSignal.TRACES);
    }

    /** Two spans and two events more than there are steps, which have two events each. */
    private static void record(Sinks sinks, int steps) {
        try (Run run = sinks.startRun(RunSpec.builder("calc").build())) {
            for (int i = 0; i < steps; i++) {
                run.startStep().complete("4");
            }
            run.complete("4");
        }
    }
}
