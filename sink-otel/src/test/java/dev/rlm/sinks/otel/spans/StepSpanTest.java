package dev.rlm.sinks.otel.spans;

import static dev.rlm.sinks.otel.spans.RunSpanTest.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class StepSpanTest {
    private final Rig rig;

    StepSpanTest(String protocol) throws IOException {
        rig = Rig.by(protocol);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void step_complete_hasAllThatWasSaid() {
        try (Run run = rig.startRun("r")) {
            rig.clock().advanceMillis(100);
            try (Step step = run.startStep("sees")) {
                step.action("calculator", "3 * 4");
                step.state("00ff", "ff00");
                step.tag("phase", "plan");
                rig.clock().advanceMillis(40);
                step.reward("judge", -0.75, List.of(new RewardComponent("time", 2.5, -0.3, "s")));
                rig.clock().advanceMillis(260);
                step.complete("12");
            }
            rig.clock().advanceMillis(100);
            run.complete(null);
        }

        OtlpSpan step = rig.span("rlm.step");
        OtlpSpan run = rig.span("rlm.run");
        assertThat(step.kind()).isEqualTo(SpanKind.INTERNAL);
        assertThat(step.traceId()).isEqualTo(run.traceId());
        assertThat(step.parentId()).isEqualTo(run.spanId());
        assertThat(step.startNanos()).isEqualTo(FakeClock.at(100));
        assertThat(step.endNanos()).isEqualTo(FakeClock.at(400));
        assertThat(run.endNanos()).isEqualTo(FakeClock.at(500));
        assertThat(step.status()).isEqualTo(StatusCode.OK);
        assertThat(step.attributes())
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("rlm.run_id", "r"),
                        Map.entry("rlm.environment", "calc"),
                        Map.entry("rlm.model", ""),
                        Map.entry("rlm.step", 1L),
                        Map.entry("rlm.action_type", "calculator"),
                        Map.entry("rlm.reward", -0.75),
                        Map.entry("rlm.cumulative_reward", -0.75),
                        Map.entry("rlm.success", true),
                        Map.entry("rlm.state.before", "00ff"),
                        Map.entry("rlm.state.after", "ff00"),
                        Map.entry("rlm.tag.phase", "plan")));
        assertThat(step.events())
                .containsExactly(
                        event(
                                "gen_ai.evaluation.result",
                                140,
                                Map.of(
                                        "gen_ai.evaluation.name",
                                        "judge",
                                        "gen_ai.evaluation.score.value",
                                        -0.75,
                                        "rlm.reward.component.time",
                                        2.5,
                                        "rlm.reward.weight.time",
                                        -0.3,
                                        "rlm.reward.unit.time",
                                        "s")),
                        event("code_execution", 400, Map.of("code", "3 * 4")),
                        event("output", 400, Map.of("output", "12")));
    }

    @Test
    void step_failed_isAnErrorOf200Characters() {
        try (Run run = rig.startRun("r")) {
            Step step = run.startStep();
            step.action("run_python", "1/0");
            step.fail("partial", "😀".repeat(300));
            run.complete(null);
        }

        OtlpSpan step = rig.span("rlm.step");
        assertThat(step.status()).isEqualTo(StatusCode.ERROR);
        assertThat(step.statusMessage()).isEqualTo("😀".repeat(200));
        assertThat(step.attributes()).containsEntry("rlm.success", false).containsEntry("error.type", "step_failed");
        assertThat(step.events()).extracting(OtlpSpan.Event::name).containsExactly("code_execution", "output");
        assertThat(rig.span("rlm.run").status()).isEqualTo(StatusCode.OK);
    }

    @Test
    void rewards_overSteps_addUp() {
        try (Run run = rig.startRun("r")) {
            reward(run, -0.5, 0.25);
            reward(run);
            reward(run, Double.NaN);
            reward(run, Double.POSITIVE_INFINITY);
            reward(run, Double.NEGATIVE_INFINITY, 0.5);
            run.complete(null);
        }

        List<OtlpSpan> steps = rig.spans().stream()
                .filter(span -> span.name().equals("rlm.step"))
                .toList();
        assertThat(steps)
                .extracting(step -> step.attributes().get("rlm.reward"))
                .containsExactly(-0.25, 0.0, null, null, 0.5);
        assertThat(steps.get(3).events())
                .singleElement()
                .satisfies(event -> assertThat(event.attributes()).containsEntry("error.type", "infinite"));
        assertThat(steps)
                .extracting(step -> step.attributes().get("rlm.cumulative_reward"))
                .containsExactly(-0.25, -0.25, -0.25, -0.25, 0.25);
        assertThat(steps.get(0).events()).hasSize(2);
        assertThat(steps.get(2).events())
                .singleElement()
                .satisfies(event -> assertThat(event.attributes())
                        .containsEntry("error.type", "absent")
                        .doesNotContainKey("gen_ai.evaluation.score.value"));
    }

    private static void reward(Run run, double... rewards) {
        try (Step step = run.startStep()) {
            for (double reward : rewards) {
                step.reward(reward);
            }
            step.complete("");
        }
    }

    @Test
    void steps_nested_areChildrenOfTheirSteps() {
        try (Run run = rig.startRun("r")) {
            try (Step outer = run.startStep();
                    Step middle = outer.startStep("");
                    Step inner = middle.startStep("")) {
                inner.complete("");
                middle.complete("");
                outer.complete("");
            }
            run.complete(null);
        }

        OtlpSpan outer = step(1);
        OtlpSpan middle = step(2);
        OtlpSpan inner = step(3);
        assertThat(outer.parentId()).isEqualTo(rig.span("rlm.run").spanId());
        assertThat(middle.parentId()).isEqualTo(outer.spanId());
        assertThat(inner.parentId()).isEqualTo(middle.spanId());
        assertThat(outer.attributes()).doesNotContainKey("rlm.parent_step");
        assertThat(inner.attributes()).containsEntry("rlm.parent_step", 2L);
    }

    @Test
    void steps_leftOpenByTheRun_endWithIt() {
        Run run = rig.startRun("r");
        Step outer = run.startStep();
        outer.startStep("");
        rig.clock().advanceMillis(20);
        run.complete(null);

        assertThat(List.of(step(1), step(2))).allSatisfy(step -> {
            assertThat(step.endNanos()).isEqualTo(FakeClock.at(20));
            assertThat(step.status()).isEqualTo(StatusCode.ERROR);
            assertThat(step.statusMessage()).isEqualTo("the run ended before the step");
            assertThat(step.attributes()).containsEntry("error.type", "aborted");
        });
        assertThat(rig.ledger().queued()).isZero();
    }

    private OtlpSpan step(long number) {
        return rig.spans().stream()
                .filter(span -> Long.valueOf(number).equals(span.attributes().get("rlm.step")))
                .findFirst()
                .orElseThrow();
    }
}
