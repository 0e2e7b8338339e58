package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Rewards that took time or came late, which have spans of their own. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class RewardSpanTest {
    private final Rig rig;

    RewardSpanTest(String protocol) throws IOException {
        rig = Rig.by(protocol);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void reward_thatTookTime_isASpanWithItsJudgesCallsAndAnEvent() {
        try (Run run = rig.startRun("r");
                Step step = run.startStep()) {
            try (Evaluation evaluation = step.startEvaluation("judge")) {
                rig.clock().advanceMillis(5);
                evaluation.startModelCall("openai", "judge").close();
                evaluation.startToolCall("lookup").close();
                rig.clock().advanceMillis(10);
                evaluation.reward(-0.5, List.of(new RewardComponent("style", 0.25, 2, "1")));
            }
            step.complete("");
            run.complete("");
        }

        OtlpSpan reward = rig.span("rlm.reward");
        OtlpSpan step = rig.span("rlm.step");
        Map<String, Object> evaluation = Map.of(
                "gen_ai.evaluation.name",
                "judge",
                "gen_ai.evaluation.score.value",
                -0.5,
                "rlm.reward.component.style",
                0.25,
                "rlm.reward.weight.style",
                2.0,
                "rlm.reward.unit.style",
                "1");
        assertThat(reward.parentId()).isEqualTo(step.spanId());
        assertThat(reward.startNanos()).isEqualTo(FakeClock.at(0));
        assertThat(reward.endNanos()).isEqualTo(FakeClock.at(15));
        assertThat(reward.status()).isEqualTo(StatusCode.OK);
        assertThat(reward.attributes())
                .containsAllEntriesOf(evaluation)
                .containsEntry("rlm.run_id", "r")
                .containsEntry("rlm.step", 1L)
                .containsEntry("rlm.reward", -0.5);
        assertThat(rig.span("chat judge").parentId()).isEqualTo(reward.spanId());
        assertThat(rig.span("execute_tool lookup").parentId()).isEqualTo(reward.spanId());
        assertThat(step.events()).containsExactly(RunSpanTest.event("gen_ai.evaluation.result", 15, evaluation));
        assertThat(step.attributes()).containsEntry("rlm.reward", -0.5);
        assertThat(rig.receiver().histograms("rlm.reward")).first().satisfies(point -> {
            assertThat(point.count()).isEqualTo(1);
            assertThat(point.exemplars().get(0).spanId()).isEqualTo(reward.spanId());
        });
    }

    @Test
    void reward_withoutLengthWhoseJudgeWasCalled_isASpan() {
        Published run = new Published("r");
        rig.sinks().publish(run.started());
        rig.sinks().publish(run.modelCall(3, 4));
        rig.sinks().publish(run.reward(4, 1));
        rig.sinks().publish(run.ended(5));

        assertThat(rig.span("chat judge").parentId())
                .isEqualTo(rig.span("rlm.reward").spanId());
    }

    @Test
    void reward_thatCouldNotBeComputed_isAnErrorWithoutNumber() {
        try (Run run = rig.startRun("r")) {
            Evaluation evaluation = run.startEvaluation("judge");
            rig.clock().advanceMillis(5);
            evaluation.absent("time-out");
            run.complete("");
        }

        OtlpSpan reward = rig.span("rlm.reward");
        assertThat(reward.status()).isEqualTo(StatusCode.ERROR);
        assertThat(reward.statusMessage()).isEqualTo("time-out");
        assertThat(reward.attributes())
                .containsEntry("error.type", "absent")
                .containsEntry("gen_ai.evaluation.explanation", "time-out")
                .doesNotContainKeys("rlm.reward", "gen_ai.evaluation.score.value");
    }

    @Test
    void reward_afterTheRun_isASpanOfItsTraceAndIsMeasured() {
        Run run = rig.startRun("r");
        run.reward(1);
        rig.clock().advanceMillis(5);
        run.complete("");
        OtlpSpan ended = rig.span("rlm.run");
        rig.clock().advanceMillis(5);
        assertThat(rig.sinks().reward("r", "person", -1, List.of())).isTrue();

        OtlpSpan reward = rig.span("rlm.reward");
        assertThat(reward.traceId()).isEqualTo(ended.traceId());
        assertThat(reward.parentId()).isEqualTo(ended.spanId());
        assertThat(reward.startNanos()).isEqualTo(FakeClock.at(10));
        assertThat(reward.endNanos()).isEqualTo(FakeClock.at(10) + 1_000);
        assertThat(reward.attributes())
                .containsEntry("rlm.run_id", "r")
                .containsEntry("rlm.reward", -1.0)
                .containsEntry("gen_ai.evaluation.name", "person");
        assertThat(rig.receiver().spans("rlm.run")).hasSize(1);
        assertThat(rig.receiver().histograms("rlm.reward")).last().satisfies(point -> {
            assertThat(point.count()).isEqualTo(2);
            assertThat(point.sum()).isZero();
        });
        assertThat(rig.ledger().delivered()).isEqualTo(4);
    }

    @Test
    void reward_afterItsStep_isASpanOfThatStep() {
        try (Run run = rig.startRun("r")) {
            Step step = run.startStep();
            Evaluation evaluation = step.startEvaluation("judge");
            step.complete("");
            evaluation.reward(0.5);
            run.complete("");
        }

        assertThat(rig.span("rlm.reward").parentId())
                .isEqualTo(rig.span("rlm.step").spanId());
        assertThat(rig.span("rlm.step").events()).isEmpty();
        assertThat(rig.span("rlm.run").attributes()).containsEntry("rlm.total_reward", 0.5);
    }

    @Test
    void reward_ofARunOfAnotherProcess_makesNoSecondRun() {
        rig.sinks().publish(new Published("r").reward(9, 0.5));

        List<OtlpSpan> spans = rig.spans();
        assertThat(spans).extracting(OtlpSpan::name).containsExactly("rlm.reward");
        assertThat(spans.get(0))
                .returns(rig.sink().traceId("r").orElseThrow(), OtlpSpan::traceId)
                .returns(Ids.of("r").spanId(Ids.Kind.RUN, 1), OtlpSpan::parentId);
        assertThat(rig.receiver().numbers("rlm.runs")).isEmpty();
        assertThat(rig.receiver().numbers("rlm.runs.active")).isEmpty();
        assertThat(rig.ledger().delivered()).isEqualTo(1);
    }
}
