package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpExemplar;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is sent of runs where not all are kept. */
@Timeout(60)
class KeptRunsTest {
    private static final String RATIO = "RLM_OTEL_SUCCESS_RATIO";

    private Rig rig;

    @BeforeEach
    void keepNone() throws IOException {
        rig = Rig.by(Rig.GRPC, Map.of(RATIO, "0"));
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void stepsOfAnOpenRun_areHeldUntilItsEnd_andAFlushDoesNotWaitForThem() {
        Run run = rig.startRun("r");
        step(run);
        rig.flush();
        assertThat(names()).containsExactly("rlm.run.started");
        assertThat(rig.ledger().queued()).isEqualTo(2);
        assertThat(rig.status().facts()).containsEntry("held_spans", 1L);

        run.fail(new IllegalStateException("broken"));
        rig.flush();

        assertThat(names()).containsExactlyInAnyOrder("rlm.run.started", "rlm.step", "rlm.run");
        assertThat(rig.span("rlm.run").attributes()).doesNotContainKey("rlm.detail");
        assertThat(rig.ledger().delivered()).isEqualTo(4);
    }

    @Test
    void runThatIsNotKept_hasItsFiguresAndItsOwnRewards() {
        Run run = rig.startRun("r");
        step(run);
        step(run);
        run.reward(0.5);
        run.complete("42");

        OtlpSpan sent = rig.span("rlm.run");
        assertThat(names()).containsExactlyInAnyOrder("rlm.run.started", "rlm.run");
        assertThat(sent.attributes())
                .containsEntry("rlm.detail", "dropped")
                .containsEntry("rlm.total_steps", 2L)
                .containsEntry("rlm.total_reward", 0.5)
                .containsEntry("rlm.completed", true);
        assertThat(sent.events())
                .extracting(OtlpSpan.Event::name)
                .containsExactly("gen_ai.evaluation.result", "result", "final_answer");
        assertThat(rig.ledger().dropped()).isEqualTo(Map.of("not_sampled", 4L));
        assertThat(rig.ledger().lost()).isZero();
    }

    @Test
    void stepThatIsOpenAtTheEnd_isLeftOutWithTheOthers() {
        Published published = new Published("r");
        rig.sinks().publish(published.started());
        rig.sinks().publish(published.step(2, 1));
        rig.sinks().publish(published.ended(3));
        rig.flush();

        assertThat(names()).containsExactlyInAnyOrder("rlm.run.started", "rlm.run");
        assertThat(rig.ledger().dropped()).isEqualTo(Map.of("not_sampled", 1L));
    }

    @Test
    void lateReward_ofARunThatIsNotKept_isSent() {
        Run run = rig.startRun("r");
        step(run);
        run.complete("");
        rig.flush();
        rig.sinks().reward("r", "person", 1, List.of());

        assertThat(rig.span("rlm.reward"))
                .returns(rig.span("rlm.run").spanId(), OtlpSpan::parentId)
                .returns(rig.span("rlm.run").traceId(), OtlpSpan::traceId);
        assertThat(names()).doesNotContain("rlm.step");
        assertThat(rig.status().facts()).containsEntry("held_spans", 0L);
    }

    @Test
    void runThatIsOpenAtTheClose_isKept() {
        step(rig.startRun("r"));
        rig.sinks().close();

        assertThat(names()).containsExactlyInAnyOrder("rlm.run.started", "rlm.step", "rlm.run");
        assertThat(rig.ledger().dropped()).isEmpty();
        assertThat(rig.ledger().queued()).isZero();
    }

    @Test
    void runOfARecord_leftInItsMiddle_isSentAsFarAsItGoes() {
        OtelSinkBuilder sink = OtelSink.builder()
                .endpoint(URI.create(rig.receiver().httpEndpoint()))
                .metrics(false)
                .successRatio(0);
        sink.resending(true);
        Published published = new Published("r");
        StepStarted step = published.step(2, 1);
        try (Sinks sinks = Sinks.builder().add("otel", sink.build()).build()) {
            sinks.publish(published.started());
            sinks.publish(step);
            sinks.publish(published.stepEnded(3, step));
        }
        assertThat(names()).containsExactlyInAnyOrder("rlm.run.started", "rlm.step");
    }

    @Test
    void exemplars_leadToTheRun_whereTheStepMayBeLeftOut() {
        Run run = rig.startRun("r");
        try (Step step = run.startStep()) {
            step.reward(0.5);
            step.complete("");
        }
        run.complete("");

        String id = rig.span("rlm.run").spanId();
        assertThat(rig.receiver().histograms("rlm.reward").get(0).exemplars())
                .extracting(OtlpExemplar::spanId)
                .containsExactly(id);
        assertThat(rig.receiver().histograms("rlm.step_duration").get(0).exemplars())
                .extracting(OtlpExemplar::spanId)
                .containsExactly(id);
    }

    @Test
    void backEndThatFails_losesWhatIsKept_andNotWhatIsHeld() {
        Run run = rig.startRun("r");
        rig.flush();
        rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.REJECT);
        step(run);
        rig.flush();
        run.abort("stop");
        assertThat(rig.tryToFlush()).isFalse();

        assertThat(rig.ledger().lost()).isEqualTo(3);
        assertThat(rig.ledger().queued()).isZero();
    }

    @Test
    void runInTheTraceOfAnother_isChosenByThatTrace() throws IOException {
        try (Rig tenth = Rig.by(Rig.GRPC, Map.of(RATIO, "0.1"))) {
            inTrace(tenth, "4bf92f3577b34da6ffe6666666666665", "below");
            inTrace(tenth, "4bf92f3577b34da600e6666666666666", "at");

            assertThat(tenth.span("rlm.step").attributes()).containsEntry("rlm.run_id", "at");
        }
    }

    private static void inTrace(Rig rig, String trace, String runId) {
        Run run = rig.sinks()
                .startRun(RunSpec.builder("calc")
                        .runId(runId)
                        .traceparent("00-" + trace + "-00f067aa0ba902b7-01")
                        .build());
        step(run);
        run.complete("");
    }

    @Test
    void runThatIsChosen_isSentAsItGoes() throws IOException {
        try (Rig all = Rig.by(Rig.GRPC, Map.of(RATIO, "0.999999"))) {
            step(all.startRun("r"));

            assertThat(all.span("rlm.step").name()).isEqualTo("rlm.step");
        }
    }

    @Test
    void runThatIsNotSampled_isNotHeld() throws IOException {
        try (Rig unsampled = Rig.by(Rig.GRPC, Map.of(RATIO, "0", "OTEL_TRACES_SAMPLER", "always_off"))) {
            Run run = unsampled.startRun("r");
            step(run);
            unsampled.flush();

            assertThat(unsampled.ledger().dropped()).isEqualTo(Map.of("not_sampled", 3L));
            assertThat(unsampled.status().facts()).doesNotContainKey("held_spans");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RLM_OTEL_SUCCESS_RATIO, 1.01, a number from 0 to 1",
        "RLM_OTEL_SUCCESS_RATIO, NaN, a number from 0 to 1",
        "RLM_OTEL_SUCCESS_RATIO, 10%, a number from 0 to 1",
        "RLM_OTEL_KEEP_REWARD, 1..0, 'lo..hi, lo being at most hi, such as 0..0.9, ..0.5 or 0.5..'",
        "RLM_OTEL_KEEP_REWARD, .., 'lo..hi, lo being at most hi, such as 0..0.9, ..0.5 or 0.5..'",
        "RLM_OTEL_KEEP_REWARD, 0.5, 'lo..hi, lo being at most hi, such as 0..0.9, ..0.5 or 0.5..'",
        "RLM_OTEL_KEEP_REWARD, low..1, 'lo..hi, lo being at most hi, such as 0..0.9, ..0.5 or 0.5..'"
    })
    void settingThatCannotBeUsed_isNamedWithWhatIsAllowed(String variable, String value, String allowed) {
        assertThatThrownBy(() -> Rig.by(Rig.GRPC, Map.of(variable, value)))
                .hasMessage(variable + "=" + value + " is not valid: expected " + allowed);
    }

    @ParameterizedTest
    @CsvSource({"..0.5, 0.6", "0.5.., 0.4", "-1..-0.5, 0", "-1...5, 0.6"})
    void rewardsOutsideOfTheRange_areKept(String range, double outside) throws IOException {
        try (Rig ranged = Rig.by(Rig.GRPC, Map.of(RATIO, "0", "RLM_OTEL_KEEP_REWARD", range))) {
            rewarded(ranged, "outside", outside);
            rewarded(ranged, "inside", range.startsWith("-1..-") ? -0.5 : 0.5);

            assertThat(ranged.span("rlm.step").attributes()).containsEntry("rlm.run_id", "outside");
        }
    }

    private static void rewarded(Rig rig, String runId, double reward) {
        Run run = rig.startRun(runId);
        step(run);
        run.reward(reward);
        run.complete("");
    }

    @Test
    void furtherSink_hasAShareOfItsOwn() throws IOException {
        try (OtlpReceiver other = OtlpReceiver.start();
                Sinks sinks = Sinks.builder()
                        .add("otel", sink(rig.receiver()).successRatio(0).build())
                        .add("otel-other", sink(other).build())
                        .build()) {
            Run run = sinks.startRun(RunSpec.builder("calc").build());
            step(run);
            run.complete("");
            sinks.flush(Duration.ofSeconds(20));

            assertThat(names()).hasSize(2);
            assertThat(other.spans()).hasSize(3);
        }
    }

    private static OtelSinkBuilder sink(OtlpReceiver receiver) {
        return OtelSink.builder().endpoint(URI.create(receiver.httpEndpoint())).metrics(false);
    }

    private static void step(Run run) {
        try (Step step = run.startStep()) {
            step.complete("");
        }
    }

    private List<String> names() {
        return rig.receiver().spans().stream().map(OtlpSpan::name).toList();
    }
}
