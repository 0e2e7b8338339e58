package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Waiting;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What makes a run findable while it runs, and after it was killed. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class MarkerSpanTest {
    private final Rig rig;

    MarkerSpanTest(String protocol) throws IOException {
        rig = Rig.by(protocol);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void marker_ofAnOpenRun_leavesByItself() {
        RunSpec spec = RunSpec.builder("calc")
                .runId("r")
                .model("gpt")
                .task("What is 3 * 4?")
                .tag("team", "blue")
                .correlation(Correlation.builder().rollout("roll").build())
                .build();
        try (Run run = rig.sinks().startRun(spec)) {
            OtlpSpan marker = rig.receiver().awaitSpans(1).get(0);

            Waiting.await().until(() -> rig.ledger().delivered() == 1);
            assertThat(marker.name()).isEqualTo("rlm.run.started");
            assertThat(marker.kind()).isEqualTo(SpanKind.INTERNAL);
            assertThat(marker.status()).isEqualTo(StatusCode.UNSET);
            assertThat(marker.startNanos()).isEqualTo(FakeClock.at(0));
            assertThat(marker.endNanos()).isEqualTo(FakeClock.at(0) + 1_000);
            assertThat(marker.events()).isEmpty();
            assertThat(marker.attributes())
                    .isEqualTo(Map.of(
                            "rlm.run_id", "r",
                            "rlm.environment", "calc",
                            "rlm.model", "gpt",
                            "rlm.task", "What is 3 * 4?",
                            "rlm.tag.team", "blue",
                            "rlm.rollout_id", "roll",
                            "rlm.marker", true));
            run.complete("");
            assertThat(rig.span("rlm.run"))
                    .returns(marker.traceId(), OtlpSpan::traceId)
                    .returns(marker.parentId(), OtlpSpan::spanId);
        }
    }

    @Test
    void marker_ofARunThatEnds_isThereOnce() {
        Published run = new Published("r");
        rig.sinks().publish(run.started());
        rig.sinks().publish(run.started());
        rig.sinks().publish(run.ended(9));

        assertThat(rig.spans()).extracting(OtlpSpan::name).containsExactly("rlm.run.started", "rlm.run");
        assertThat(rig.ledger().delivered()).isEqualTo(3);
    }

    @Test
    void marker_ofARunWhoseStartWasLost_isThereAndStandsForNoEvent() {
        Published run = new Published("r");
        rig.sinks().publish(run.step(2, 1));

        List<OtlpSpan> spans = rig.spans();
        assertThat(spans).extracting(OtlpSpan::name).containsExactly("rlm.run.started");
        assertThat(rig.ledger().delivered()).isZero();
        assertThat(rig.ledger().queued()).isEqualTo(1);
    }
}
