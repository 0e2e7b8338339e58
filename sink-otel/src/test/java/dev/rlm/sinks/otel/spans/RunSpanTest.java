package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Published;
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
class RunSpanTest {
    private static final Map<String, Object> LEAST = Map.ofEntries(
            Map.entry("rlm.run_id", "r"),
            Map.entry("rlm.environment", "calc"),
            Map.entry("rlm.model", ""),
            Map.entry("rlm.task", ""),
            Map.entry("rlm.max_steps", 0L),
            Map.entry("rlm.pass_reward", 1.0),
            Map.entry("gen_ai.operation.name", "invoke_agent"),
            Map.entry("gen_ai.conversation.id", "r"),
            Map.entry("rlm.completed", true),
            Map.entry("rlm.outcome", "completed"),
            Map.entry("rlm.status_code", 100L),
            Map.entry("rlm.termination_reason", "stop"),
            Map.entry("rlm.truncated", false),
            Map.entry("rlm.total_steps", 0L));

    private final Rig rig;

    RunSpanTest(String protocol) throws IOException {
        rig = Rig.by(protocol);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void run_withNothingSaid_hasTheLeastAttributes() {
        try (Run run = rig.startRun("r")) {
            rig.clock().advanceMillis(1_234);
            run.complete(null);
        }

        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.kind()).isEqualTo(SpanKind.INTERNAL);
        assertThat(span.scope()).isEqualTo("dev.rlm.sinks.otel");
        assertThat(span.parentId()).isEmpty();
        assertThat(span.startNanos()).isEqualTo(FakeClock.at(0));
        assertThat(span.endNanos()).isEqualTo(FakeClock.at(1_234));
        assertThat(span.status()).isEqualTo(StatusCode.OK);
        assertThat(span.events()).containsExactly(event("result", 0, Map.of("outcome", "completed")));
        assertThat(span.links()).isEmpty();
        assertThat(span.attributes()).containsExactlyInAnyOrderEntriesOf(LEAST);
    }

    @Test
    void run_withAllSaid_hasAllAttributes() {
        Correlation correlation = CorrelationBuilder.builder()
                .experiment("exp")
                .invocation("inv")
                .rollout("roll")
                .trainerRun("job")
                .sample("s7")
                .row("row7")
                .trajectoryIndex(3)
                .attempt(2)
                .epoch(1)
                .trainStep(5_000_000_000L)
                .split("train")
                .policyVersion("p1")
                .codeVersion("c1")
                .datasetVersion("d1")
                .parentRun("mother")
                .build();
        RunSpec spec = RunSpec.builder("calc")
                .runId("r")
                .task("What is 3 * 4?")
                .model("gpt")
                .agent("solver", "1.4.0")
                .expectedAnswer("12.0")
                .maxSteps(9)
                .seed(-7)
                .tag("team", "blue")
                .correlation(correlation)
                .build();
        try (Run run = rig.sinks().startRun(spec)) {
            run.startStep().complete("");
            run.reward(-0.5);
            run.reward(1.0);
            run.initialState("00ff");
            run.metric("tokens", 120);
            run.metric("loss", Double.NaN);
            rig.clock().advanceMillis(10);
            run.complete("12", "stop");
        }

        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.attributes())
                .containsAllEntriesOf(Map.of(
                        "rlm.task",
                        "What is 3 * 4?",
                        "rlm.model",
                        "gpt",
                        "rlm.max_steps",
                        9L,
                        "rlm.seed",
                        -7L,
                        "rlm.tag.team",
                        "blue",
                        "rlm.solved",
                        true,
                        "rlm.total_steps",
                        1L,
                        "rlm.total_reward",
                        0.5,
                        "rlm.metric.tokens",
                        120.0,
                        "rlm.termination_reason",
                        "stop"))
                .containsEntry("gen_ai.agent.name", "solver")
                .containsEntry("gen_ai.agent.version", "1.4.0")
                .containsEntry("rlm.expected_answer", "12.0")
                .containsEntry("rlm.state.initial", "00ff")
                .containsEntry("rlm.left_out", List.of("rlm.metric.loss=NaN"))
                .containsAllEntriesOf(Map.of(
                        "rlm.experiment_id", "exp",
                        "rlm.invocation_id", "inv",
                        "rlm.rollout_id", "roll",
                        "gen_ai.conversation.id", "roll",
                        "rlm.trainer_run_id", "job",
                        "rlm.sample_id", "s7",
                        "rlm.row_id", "row7",
                        "rlm.trajectory_index", 3L,
                        "rlm.attempt", 2L))
                .containsAllEntriesOf(Map.of(
                        "rlm.epoch", 1L,
                        "rlm.train_step", 5_000_000_000L,
                        "rlm.split", "train",
                        "rlm.policy_version", "p1",
                        "rlm.code_version", "c1",
                        "rlm.dataset_version", "d1",
                        "rlm.parent_run_id", "mother"));
        assertThat(span.attributes()).hasSize(LEAST.size() + 25);
        assertThat(span.events())
                .hasSize(4)
                .endsWith(
                        event(
                                "result",
                                0,
                                Map.of(
                                        "outcome",
                                        "completed",
                                        "solved",
                                        true,
                                        "reward",
                                        0.5,
                                        "answer",
                                        "12",
                                        "expected_answer",
                                        "12.0")),
                        event("final_answer", 10, Map.of("answer", "12")));
    }

    @Test
    void rewards_ofTheRun_areEventsWithTheirComponents() {
        try (Run run = rig.startRun("r")) {
            rig.clock().advanceMillis(5);
            run.reward(
                    "judge",
                    -0.25,
                    List.of(
                            new RewardComponent("correct", 0, 1, null),
                            new RewardComponent("time", Double.POSITIVE_INFINITY, -0.5, "s")));
            rig.clock().advanceMillis(5);
            run.rewardAbsent("judge", "no answer");
            run.reward(Double.NEGATIVE_INFINITY);
            run.complete(null);
        }

        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.events())
                .containsExactly(
                        event(
                                "gen_ai.evaluation.result",
                                5,
                                Map.of(
                                        "gen_ai.evaluation.name",
                                        "judge",
                                        "gen_ai.evaluation.score.value",
                                        -0.25,
                                        "rlm.reward.component.correct",
                                        0.0,
                                        "rlm.reward.weight.correct",
                                        1.0,
                                        "rlm.reward.component.time.text",
                                        "Infinity",
                                        "rlm.reward.weight.time",
                                        -0.5,
                                        "rlm.reward.unit.time",
                                        "s")),
                        event(
                                "gen_ai.evaluation.result",
                                10,
                                Map.of(
                                        "gen_ai.evaluation.name", "judge",
                                        "error.type", "absent",
                                        "gen_ai.evaluation.explanation", "no answer")),
                        event(
                                "gen_ai.evaluation.result",
                                10,
                                Map.of(
                                        "gen_ai.evaluation.name",
                                        "environment",
                                        "error.type",
                                        "infinite",
                                        "gen_ai.evaluation.explanation",
                                        "-Infinity")),
                        event("result", 0, Map.of("outcome", "completed", "solved", false)));
        assertThat(span.attributes())
                .containsEntry("rlm.absent_rewards", 1L)
                .containsEntry("rlm.total_reward", -0.25)
                .containsEntry("rlm.status_code", (long) RunStatus.SCORE_INVALID);
    }

    @Test
    void reward_withAllThatItsSourceSays_hasIt_andIsMarkedOutsideItsRange() {
        try (Run run = rig.startRun("r")) {
            run.reward(
                    "judge",
                    Reward.of(1.5)
                            .label("good")
                            .explanation("It adds up.")
                            .kind(RewardGiven.Kind.MODEL)
                            .min(0.0)
                            .max(1.0)
                            .build());
            run.complete(null);
        }

        assertThat(rig.span("rlm.run").events().get(0))
                .isEqualTo(event(
                        "gen_ai.evaluation.result",
                        0,
                        Map.of(
                                "gen_ai.evaluation.name",
                                "judge",
                                "gen_ai.evaluation.score.value",
                                1.5,
                                "gen_ai.evaluation.score.label",
                                "good",
                                "gen_ai.evaluation.explanation",
                                "It adds up.",
                                "rlm.reward.kind",
                                "model",
                                "rlm.reward.min",
                                0.0,
                                "rlm.reward.max",
                                1.0,
                                "rlm.reward.out_of_range",
                                true)));
    }

    @Test
    void run_truncated_isNotCompleted_andNoError() {
        try (Run run = rig.startRun("r")) {
            run.truncate("max_steps", "13");
        }

        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.status()).isEqualTo(StatusCode.OK);
        assertThat(span.attributes())
                .containsEntry("rlm.completed", false)
                .containsEntry("rlm.outcome", "completed")
                .containsEntry("rlm.truncated", true)
                .containsEntry("rlm.termination_reason", "max_steps");
    }

    @Test
    void run_failed_isAnErrorWithItsException() {
        try (Run run = rig.startRun("r")) {
            rig.clock().advanceMillis(3);
            run.fail(RunStatus.DEADLINE_EXCEEDED, new IllegalStateException("x".repeat(300)));
        }

        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.status()).isEqualTo(StatusCode.ERROR);
        assertThat(span.statusMessage()).isEqualTo("x".repeat(200));
        assertThat(span.attributes())
                .containsEntry("rlm.completed", false)
                .containsEntry("rlm.outcome", "failed")
                .containsEntry("rlm.status_code", 4L)
                .containsEntry("error.type", "java.lang.IllegalStateException");
        assertThat(span.events()).hasSize(2).last().satisfies(event -> {
            assertThat(event.name()).isEqualTo("exception");
            assertThat(event.nanos()).isEqualTo(FakeClock.at(3));
            assertThat(event.attributes())
                    .containsEntry("exception.type", "java.lang.IllegalStateException")
                    .containsEntry("exception.message", "x".repeat(300));
            assertThat(String.valueOf(event.attributes().get("exception.stacktrace")))
                    .startsWith("java.lang.IllegalStateException: xxx")
                    .hasSize(1_000);
        });
    }

    @Test
    void run_leftOrStopped_isAnErrorWithoutException() {
        rig.startRun("left").close();
        rig.startRun("stopped").abort("Ctrl-C");
        rig.flush();

        List<OtlpSpan> runs = rig.receiver().spans("rlm.run");
        assertThat(runs).allSatisfy(span -> {
            assertThat(span.status()).isEqualTo(StatusCode.ERROR);
            assertThat(span.events()).containsExactly(event("result", 0, Map.of("outcome", "aborted")));
            assertThat(span.attributes())
                    .containsEntry("rlm.outcome", "aborted")
                    .containsEntry("rlm.status_code", 1L)
                    .containsEntry("error.type", "aborted");
        });
        assertThat(runs)
                .extracting(OtlpSpan::statusMessage)
                .containsExactlyInAnyOrder("the run was left before its end", "Ctrl-C");
    }

    @Test
    void rewards_tooManyForASpan_leaveOutThoseInTheMiddle() {
        try (Run run = rig.startRun("r")) {
            for (int i = 0; i < 200; i++) {
                run.reward("judge", i, List.of());
            }
            run.fail(new IllegalStateException());
        }

        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.attributes()).containsEntry("rlm.reward_events_left_out", 80L);
        assertThat(span.events())
                .extracting(event -> event.attributes().get("gen_ai.evaluation.score.value"))
                .startsWith(0.0, 1.0, 2.0)
                .contains(59.0, 140.0)
                .doesNotContain(60.0, 139.0)
                .endsWith(198.0, 199.0, null, null)
                .hasSize(122);
        assertThat(span.events()).last().returns("exception", OtlpSpan.Event::name);
    }

    @Test
    void finalAnswer_afterManyRewards_isThere() {
        try (Run run = rig.startRun("r")) {
            for (int i = 0; i < 120; i++) {
                run.reward(0.5);
            }
            run.complete("12");
        }

        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.attributes()).doesNotContainKey("rlm.reward_events_left_out");
        assertThat(span.events()).hasSize(122).last().returns("final_answer", OtlpSpan.Event::name);
    }

    @Test
    void end_ofARun_liesWithinItsSpan_inWholeMicroseconds() {
        Published published = new Published("r");
        rig.sinks().publish(published.started());
        rig.sinks().publish(published.answered(9, 1_999, "12"));

        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.endNanos() - span.startNanos()).isEqualTo(1_999);
        assertThat(span.events())
                .last()
                .returns("final_answer", OtlpSpan.Event::name)
                .returns(span.startNanos() + 1_000, OtlpSpan.Event::nanos);
    }

    @Test
    void answer_thatIsLong_isALineInTheResult() {
        rig.startRun("r").complete("a".repeat(1_500));

        assertThat(rig.span("rlm.run").events())
                .extracting(event -> event.attributes().get("answer"))
                .containsExactly("a".repeat(100), "a".repeat(1_000));
    }

    @Test
    void end_ofARunWithManyTags_isThere() {
        RunSpec.Builder spec = RunSpec.builder("calc");
        for (int i = 0; i < 200; i++) {
            spec.tag("tag" + i, "value");
        }
        rig.sinks().startRun(spec.build()).complete("12");

        assertThat(rig.span("rlm.run").attributes())
                .containsEntry("rlm.tag.tag199", "value")
                .containsEntry("rlm.completed", true);
    }

    static OtlpSpan.Event event(String name, long millis, Map<String, Object> attributes) {
        return new OtlpSpan.Event(name, FakeClock.at(millis), attributes);
    }
}
