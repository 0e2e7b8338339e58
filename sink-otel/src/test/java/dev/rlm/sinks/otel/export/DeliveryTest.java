package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpRequest;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Whether the sink knows what arrived, and how it fares with a back end in every condition. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
@Timeout(60)
class DeliveryTest {
    private static final long EVENTS = 4; // of a run, see record

    private final String protocol;

    DeliveryTest(String protocol) {
        this.protocol = protocol;
    }

    @Test
    void burst_ofManySteps_arrivesWhole() throws IOException {
        int steps = 20_000;
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r")) {
                for (int i = 0; i < steps; i++) {
                    run.startStep().complete("output");
                }
                run.complete("");
            }

            Set<String> ids = new HashSet<>();
            rig.spans().forEach(span -> ids.add(span.spanId()));
            assertThat(ids).hasSize(steps + 2);
            assertThat(rig.receiver().spans()).hasSize(steps + 2);
            isComplete(rig.ledger(), 2L * steps + 2);
        }
    }

    @Test
    void spans_withoutFlush_leaveByThemselves() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            record(rig);

            assertThat(rig.receiver().awaitSpans(3))
                    .extracting(OtlpSpan::name)
                    .containsExactlyInAnyOrder("rlm.run.started", "rlm.step", "rlm.run");
            assertThat(rig.receiver().requests(OtlpSignal.METRICS)).isEmpty();
        }
    }

    @Test
    void openRun_isQueuedUntilItsEnd() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Run run = rig.startRun("r");
            run.startStep().complete("");
            run.reward(1);
            rig.flush();
            assertThat(rig.ledger().delivered()).as("the marker and the step").isEqualTo(3);
            assertThat(rig.ledger().queued()).as("the reward").isEqualTo(1);

            run.complete("");
            rig.flush();
            isComplete(rig.ledger(), EVENTS + 1);
        }
    }

    @Test
    void metrics_refused_areSaidOnceAndHarmNothing() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.rlm.sinks.otel");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        java.util.logging.Logger exporters = java.util.logging.Logger.getLogger("io.opentelemetry");
        List<LogRecord> ofExporters = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord said) {
                ofExporters.add(said);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        exporters.addHandler(handler);
        String target;
        try (Rig rig = Rig.by(protocol)) {
            target = target(rig);
            rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.REFUSE);
            for (int i = 0; i < 3; i++) {
                record(rig);
                rig.flush();
            }

            assertThat(rig.receiver().requests(OtlpSignal.METRICS)).hasSize(1);
            assertThat(rig.receiver().spans()).hasSize(9);
            assertThat(rig.status().available()).isTrue();
            isComplete(rig.ledger(), 3 * EVENTS);
        } finally {
            logger.detachAppender(log);
            exporters.removeHandler(handler);
        }
        assertThat(ofExporters).extracting(LogRecord::getMessage).isEmpty();
        List<ILoggingEvent> ofThisSink = log.list.stream()
                .filter(line -> line.getFormattedMessage().contains(target)) // others may still be closing
                .toList();
        assertThat(ofThisSink).singleElement().satisfies(line -> {
            assertThat(line.getFormattedMessage())
                    .contains("takes no metrics", "RLM_OTEL_METRICS_ENABLED=false")
                    .doesNotContain("\n");
            assertThat(line.getThrowableProxy()).isNull();
        });
    }

    @Test
    void metrics_failing_makeAFlushIncomplete() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.REJECT);
            record(rig);
            assertThat(rig.tryToFlush()).isFalse();
            isComplete(rig.ledger(), EVENTS);

            rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.ACCEPT);
            rig.flush();
            assertThat(rig.receiver().numbers("rlm.runs")).hasSize(1);
        }
    }

    @Test
    void traces_rejected_areDroppedAndSaidSo() throws IOException {
        fails(OtlpAnswer.REJECT, protocol.equals(Rig.GRPC) ? "export_grpc_invalid_argument" : "export_http_400");
    }

    @Test
    void traces_unavailable_areDroppedAndSaidSo() throws IOException {
        fails(OtlpAnswer.UNAVAILABLE, protocol.equals(Rig.GRPC) ? "export_grpc_unavailable" : "export_http_503");
    }

    private void fails(OtlpAnswer answer, String reason) throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.TRACES, answer);
            record(rig);
            assertThat(rig.tryToFlush()).isFalse();
            assertThat(rig.ledger().dropped()).containsExactly(Map.entry(reason, EVENTS));
            assertThat(rig.ledger().queued()).isZero();
            assertThat(rig.status().available()).isFalse();
            assertThat(rig.status().detail()).contains("last failure: ").doesNotContain("\n");

            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
            record(rig);
            rig.flush();
            assertThat(rig.status().available()).isTrue();
            assertThat(rig.status().detail()).contains("3 spans arrived");
            assertThat(rig.ledger().delivered()).isEqualTo(EVENTS);
            assertThat(rig.ledger().droppedTotal()).isEqualTo(EVENTS);
        }
    }

    @Test
    void failure_beforeAFlush_isToldByIt() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.REJECT);
            record(rig);
            Waiting.await().until(() -> rig.ledger().droppedTotal() == EVENTS);

            assertThat(rig.tryToFlush()).isFalse();
            assertThat(rig.tryToFlush()).isTrue();
        }
    }

    @Test
    void traces_withoutAnswer_areDroppedWhenTheTimeIsUp() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_EXPORTER_OTLP_TIMEOUT", "200"))) {
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
            record(rig);
            assertThat(rig.tryToFlush()).isFalse();

            assertThat(rig.ledger().dropped()).containsExactly(Map.entry("export_timeout", EVENTS));
            assertThat(rig.status().available()).isFalse();
        }
    }

    @Test
    void backEnd_thatHasNotAnswered_isNotAvailable() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
            record(rig);

            assertThat(rig.sinks().flush(Duration.ofMillis(1)).isComplete()).isFalse();
            Waiting.await().until(() -> !rig.status().available());
            assertThat(rig.status().detail()).contains("nothing has answered so far");

            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
            rig.flush();
            assertThat(rig.status().available()).isTrue();
        }
    }

    @Tag("thorough")
    @Test
    void backEnd_thatIsSlowAgainAndAgain_isSaidSoOnce() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.rlm.sinks.otel");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        String target;
        try (Rig rig = Rig.by(protocol)) {
            target = target(rig);
            for (int i = 0; i < 5; i++) {
                rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
                record(rig);
                int requests = i + 1;
                rig.receiver().await(seen -> seen.requests(OtlpSignal.TRACES).size() == requests);
                assertThat(rig.sink().flush(Duration.ofMillis(1))).isFalse();
                rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
                Waiting.await().until(() -> rig.ledger().queued() == 0);
            }
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.startsWith("spans ") && line.contains(target))
                .filteredOn(line -> !line.endsWith(" again"))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("nothing has answered so far"));
    }

    @Test
    void backEnd_thatIsNotThere_isSaidSo() throws IOException {
        Rig rig = Rig.by(protocol);
        rig.receiver().close();
        try (rig) {
            record(rig);
            assertThat(rig.tryToFlush()).isFalse();

            assertThat(rig.ledger().dropped()).containsExactly(Map.entry("export_unreachable", EVENTS));
            assertThat(rig.status().detail()).contains("last failure: connection refused");
        }
    }

    @Tag("thorough")
    @Test
    void flush_whileNeitherSpansNorMetricsAreAnswered_keepsToItsTime() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
            rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.HANG);
            record(rig);
            assertThat(rig.sinks().flush(Duration.ofMillis(100)).isComplete()).isFalse();
            rig.receiver().await(seen -> !seen.requests(OtlpSignal.METRICS).isEmpty());

            long start = System.nanoTime();
            assertThat(rig.sink().flush(Duration.ofSeconds(3))).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            rig.sinks().close(Duration.ofMillis(100));
        }
    }

    @Tag("thorough")
    @Test
    void close_whileTheBackEndHangs_givesUp() throws IOException {
        Rig rig = Rig.by(protocol);
        try (rig) {
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
            record(rig);
            rig.receiver().await(seen -> !seen.requests(OtlpSignal.TRACES).isEmpty());
            record(rig);
            rig.receiver().await(seen -> seen.requests(OtlpSignal.TRACES).size() == 2);
            rig.sinks().close(Duration.ofMillis(100));

            Waiting.await().until(() -> rig.ledger().queued() == 0);
            assertThat(rig.ledger().droppedTotal()).isEqualTo(2 * EVENTS);
            assertThat(rig.ledger().dropped()).containsOnlyKeys("export_timeout");
            assertThat(rig.status().detail()).contains("no answer before the close");
        }
    }

    @Test
    void requests_underABurst_areNotTooLarge() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r")) {
                for (int i = 0; i < 3_000; i++) {
                    run.startStep().complete("€".repeat(682));
                }
                run.complete("");
            }

            assertThat(rig.spans()).hasSize(3_002);
            assertThat(rig.receiver().requests(OtlpSignal.TRACES))
                    .extracting(OtlpRequest::bytes)
                    .allSatisfy(bytes -> assertThat(bytes).isLessThan(4 << 20));
        }
    }

    private static void isComplete(Ledger ledger, long events) {
        assertThat(ledger).isEqualTo(new Ledger(events, events, new TreeMap<>(), 0));
    }

    /** As the log names it. */
    private String target(Rig rig) {
        OtlpReceiver receiver = rig.receiver();
        return (protocol.equals(Rig.GRPC) ? receiver.grpcEndpoint() : receiver.httpEndpoint()) + " ";
    }

    private static void record(Rig rig) {
        Run run = rig.sinks().startRun(RunSpec.builder("calc").build());
        run.startStep().complete("");
        run.complete("");
    }
}
