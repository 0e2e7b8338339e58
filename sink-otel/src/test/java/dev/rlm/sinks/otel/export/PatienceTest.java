package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A back end that is down holds up the lane for a while, and is not taken for a sink that hangs. */
@Tag("thorough")
@Timeout(120)
class PatienceTest {
    private static final int STEPS = 5_000; // more than the buffer holds
    private static final Map<String, String> SLOW =
            Map.of("OTEL_EXPORTER_OTLP_TIMEOUT", "100000", "OTEL_BSP_EXPORT_TIMEOUT", "100000");
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void patience_isSeveralTimesTheTimeoutOfABatch() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            assertThat(patience(receiver, Map.of())).isEqualTo(Duration.ofMinutes(5));
            assertThat(patience(receiver, Map.of("OTEL_BSP_EXPORT_TIMEOUT", "90000")))
                    .isEqualTo(Duration.ofMinutes(15));
            assertThat(patience(receiver, Map.of("OTEL_BSP_EXPORT_TIMEOUT", "1000")))
                    .as("never less than usual")
                    .isEqualTo(Duration.ofSeconds(60));
            assertThat(patience(receiver, Map.of("OTEL_BSP_EXPORT_TIMEOUT", "0")))
                    .as("for as long as it may take")
                    .isGreaterThan(Duration.ofDays(1));
        }
    }

    private static Duration patience(OtlpReceiver receiver, Map<String, String> variables) {
        try (OtelSink sink = (OtelSink) new OtelSinkProvider().create(Rig.config(receiver, Rig.GRPC, variables))) {
            return sink.patience();
        }
    }

    @Test
    void backEnd_thatDoesNotAnswer_isNoHang() throws IOException {
        AtomicLong ahead = new AtomicLong();
        try (OtlpReceiver receiver = OtlpReceiver.start();
                Sinks sinks = Sinks.builder()
                        .clocks(InstantSource.system(), () -> System.nanoTime() + ahead.get())
                        .add("otel", () -> new OtelSinkProvider().create(Rig.config(receiver, Rig.GRPC, SLOW)))
                        .build()) {
            receiver.answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
            try (Run run = sinks.startRun(RunSpec.builder("calc").build())) {
                for (int i = 0; i < STEPS; i++) {
                    run.startStep().complete("");
                }
                run.complete("");
            }
            await().atMost(LONG)
                    .until(() -> !receiver.requests(OtlpSignal.TRACES).isEmpty());
            for (int i = 0; i < 4; i++) { // less than ten batches may take
                ahead.addAndGet(Duration.ofSeconds(200).toNanos());
                awaitTicks();
            }
            receiver.answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);

            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            Ledger ledger = sinks.statuses().get(0).ledger();
            assertThat(ledger.dropped()).isEmpty();
            assertThat(ledger.delivered()).isEqualTo(2L * STEPS + 2);
            assertThat(receiver.spans("rlm.step")).hasSize(STEPS);
        }
    }

    /** Two looks of the hub's timer, which come once a second. */
    private static void awaitTicks() {
        long start = System.nanoTime();
        await().atMost(LONG)
                .until(() ->
                        System.nanoTime() - start > Duration.ofMillis(2_200).toNanos());
    }
}
