package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Events;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs that are sent again from a record, among them those whose process died. */
@Timeout(60)
class ResentTest {
    private static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("r")
            .startedAt(Instant.EPOCH)
            .environment("calc")
            .model("")
            .build();
    private static final StepStarted OUTER = new StepStarted(RUN, 2, 1_000, 1, 0, Content.EMPTY);
    private static final StepStarted INNER = new StepStarted(RUN, 3, 5_000_000, 2, 1, Content.EMPTY);

    private OtlpReceiver receiver;

    @BeforeEach
    void start() throws IOException {
        receiver = OtlpReceiver.start();
    }

    @AfterEach
    void stop() {
        receiver.close();
    }

    @Test
    void openSteps_ofAnAbandonedRun_areAbandonedToo_andEndWithIt() {
        try (Sinks sinks = hub().resending().build()) {
            sinks.publish(new RunStarted(RUN, 1));
            sinks.publish(OUTER);
            sinks.publish(INNER);
            sinks.publish(abandoned(4, INNER.nanos()));
        }
        List<OtlpSpan> spans = receiver.spans();
        assertThat(spans).extracting(OtlpSpan::name).contains("rlm.run", "rlm.step");
        OtlpSpan run = receiver.spans("rlm.run").get(0);
        assertThat(receiver.spans("rlm.step")).hasSize(2).allSatisfy(step -> {
            assertThat(step.status()).isEqualTo(StatusCode.ERROR);
            assertThat(step.attributes()).containsEntry("error.type", "abandoned");
            assertThat(step.endNanos()).isEqualTo(run.endNanos());
        });
        assertThat(run.attributes()).containsEntry("error.type", "abandoned");
        assertThat(run.statusMessage()).isEqualTo("its process died");
    }

    @Test
    void run_leftInItsMiddle_isNotEnded() {
        try (Sinks sinks = hub().resending().build()) {
            sinks.publish(new RunStarted(RUN, 1));
            sinks.publish(OUTER);
            sinks.flush(Duration.ofSeconds(20));
        }
        assertThat(receiver.spans("rlm.run")).isEmpty();
        assertThat(receiver.spans("rlm.step")).isEmpty();
    }

    @Test
    void measurements_areMadeOnlyWhereTheyAreAskedFor() {
        try (Sinks sinks = hub().resending().build()) {
            Events.full("r").forEach(sinks::publish);
        }
        assertThat(receiver.requests(OtlpSignal.METRICS)).isEmpty();
        assertThat(receiver.spans("rlm.run")).hasSize(1);

        try (Sinks sinks = hub().resendingAndMeasuring().build()) {
            Events.full("r").forEach(sinks::publish);
        }
        assertThat(receiver.numbers("rlm.runs")).isNotEmpty();
    }

    @Test
    void logs_areSentWhereTheyAreAskedFor_andOfDeadProcessesWhatNobodyHasSent() {
        try (Sinks sinks = hub().resending().build()) {
            Events.full("r").forEach(sinks::publish);
            sinks.publish(abandoned(new Published("died").info(), 2, 1_000));
        }
        assertThat(receiver.requests(OtlpSignal.LOGS)).isEmpty();

        try (Sinks sinks = hub().recovering().build()) {
            Events.full("ended well").forEach(sinks::publish);
            sinks.publish(abandoned(new Published("died").info(), 2, 1_000));
        }
        assertThat(receiver.logs())
                .extracting(log -> log.attributes().get("rlm.run_id"))
                .containsExactly("died");
        assertThat(receiver.requests(OtlpSignal.METRICS)).isEmpty();

        try (Sinks sinks = hub().resendingAndMeasuring().build()) {
            Events.full("again").forEach(sinks::publish);
        }
        assertThat(receiver.logs())
                .extracting(log -> log.attributes().get("rlm.run_id"))
                .containsExactly("died", "again");
    }

    private Sinks.Builder hub() {
        return Sinks.builder()
                .config(SinkConfig.of(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        receiver.httpEndpoint(),
                        "OTEL_METRIC_EXPORT_INTERVAL",
                        "600000")))
                .only(List.of("otel"));
    }

    private static RunEnded abandoned(long seq, long nanos) {
        return abandoned(RUN, seq, nanos);
    }

    static RunEnded abandoned(RunInfo run, long seq, long nanos) {
        return RunEndedBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(nanos)
                .outcome(Outcome.ABANDONED)
                .status(RunStatus.of(RunStatus.ABORTED, "its process died"))
                .build();
    }
}
