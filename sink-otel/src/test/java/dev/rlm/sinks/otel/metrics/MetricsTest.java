package dev.rlm.sinks.otel.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpExemplar;
import dev.rlm.sinks.otel.backend.OtlpHistogram;
import dev.rlm.sinks.otel.backend.OtlpMetric;
import dev.rlm.sinks.otel.backend.OtlpMetric.Kind;
import dev.rlm.sinks.otel.backend.OtlpMetric.Temporality;
import dev.rlm.sinks.otel.backend.OtlpNumber;
import dev.rlm.sinks.otel.backend.OtlpPoint;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class MetricsTest {
    private final String protocol;

    MetricsTest(String protocol) {
        this.protocol = protocol;
    }

    @Test
    void runsAndSteps_areCounted() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            record(rig, "a", "calc", 2);
            record(rig, "b", "calc", 1);
            record(rig, "c", "python", 1);
            Run open = rig.startRun("open");
            rig.flush();
            open.close();

            List<OtlpNumber> runs = rig.receiver().numbers("rlm.runs");
            assertThat(runs).extracting(OtlpPoint::metric).allSatisfy(MetricsTest::isACounter);
            assertThat(runs.get(0).metric().description()).isEqualTo("Runs started");
            assertThat(runs)
                    .extracting(OtlpPoint::attributes, OtlpNumber::value)
                    .containsExactlyInAnyOrder(
                            tuple(Map.of("environment", "calc"), 3L), tuple(Map.of("environment", "python"), 1L));
            List<OtlpNumber> steps = rig.receiver().numbers("rlm.steps");
            assertThat(steps).extracting(OtlpPoint::metric).allSatisfy(MetricsTest::isACounter);
            assertThat(steps)
                    .extracting(OtlpPoint::attributes, OtlpNumber::value)
                    .containsExactlyInAnyOrder(
                            tuple(Map.of("environment", "calc", "run_id", "a"), 2L),
                            tuple(Map.of("environment", "calc", "run_id", "b"), 1L),
                            tuple(Map.of("environment", "python", "run_id", "c"), 1L));
        }
    }

    @Test
    void callsOfARunThatAGatewayRecords_areMeasuredInThatRunAlone() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Run agent =
                    rig.sinks().startRun(RunSpec.builder("chat").rollout("r-1").build());
            gateway(rig, "r-1", agent.traceContext().orElseThrow());
            gateway(rig, "r-2", agent.traceContext().orElseThrow());
            gateway(rig, "r-3", TraceContext.NONE);
            agent.complete("");
            rig.flush();

            assertThat(rig.receiver().numbers("rlm.runs"))
                    .extracting(OtlpPoint::attributes, OtlpNumber::value)
                    .containsExactlyInAnyOrder(
                            tuple(Map.of("environment", "chat"), 1L), tuple(Map.of("environment", "gateway"), 2L));
            assertThat(rig.receiver().numbers("rlm.runs.active"))
                    .extracting(OtlpNumber::value)
                    .containsOnly(0L);
            assertThat(rig.receiver().numbers("rlm.steps"))
                    .extracting(OtlpNumber::value)
                    .containsExactly(1L, 1L);
            assertThat(only(rig.receiver().histograms("gen_ai.client.operation.duration"))
                            .count())
                    .isEqualTo(2);
            assertThat(rig.receiver().spans("rlm.run")).hasSize(4);
        }
    }

    private static void gateway(Rig rig, String rollout, TraceContext caller) {
        Run run = rig.sinks()
                .startRun(RunSpec.builder("gateway")
                        .rollout(rollout)
                        .parent(caller)
                        .build());
        try (Step step = run.startStep()) {
            step.startModelCall("openai", "m").close();
        }
        run.complete("");
    }

    private static void isACounter(OtlpMetric metric) {
        assertThat(metric.kind()).isEqualTo(Kind.SUM);
        assertThat(metric.unit()).isEqualTo("1");
        assertThat(metric.monotonic()).isTrue();
        assertThat(metric.temporality()).isEqualTo(Temporality.CUMULATIVE);
        assertThat(metric.scope()).isEqualTo("dev.rlm.sinks.otel");
    }

    @Test
    void runIds_beyondTheLimit_shareALabel() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("RLM_OTEL_METRICS_RUN_ID_LIMIT", "2"))) {
            for (String id : List.of("a", "b", "c", "d")) {
                record(rig, id, "calc", 3);
            }
            rig.flush();

            assertThat(rig.receiver().numbers("rlm.steps"))
                    .extracting(point -> point.attributes().get("run_id"), OtlpNumber::value)
                    .containsExactlyInAnyOrder(tuple("a", 3L), tuple("b", 3L), tuple("(other)", 6L));
        }
    }

    @Test
    void runIds_withLimitZero_areNoLabel() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("RLM_OTEL_METRICS_RUN_ID_LIMIT", "0"))) {
            record(rig, "a", "calc", 2);
            record(rig, "b", "calc", 1);
            rig.flush();

            assertThat(rig.receiver().numbers("rlm.steps"))
                    .singleElement()
                    .returns(Map.of("environment", "calc"), OtlpPoint::attributes)
                    .returns(3L, OtlpNumber::value);
        }
    }

    @Test
    void rewards_ofEitherSign_areInTheHistogram() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            reward(rig, -20, -1, -0.5, -0.3, -0.0005, 0.05, 1, 1, 1.5, 100);
            reward(rig, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
            rig.flush();

            OtlpHistogram rewards = only(rig.receiver().histograms("rlm.reward"));
            assertThat(rewards.metric().kind()).isEqualTo(Kind.HISTOGRAM);
            assertThat(rewards.metric().unit()).isEqualTo("1");
            assertThat(rewards.metric().temporality()).isEqualTo(Temporality.CUMULATIVE);
            assertThat(rewards.metric().description()).isEqualTo("Rewards given");
            assertThat(rewards.metric().scope()).isEqualTo("dev.rlm.sinks.otel");
            assertThat(rewards.metric().resource()).containsKey("service.instance.id");
            assertThat(rewards.attributes()).isEqualTo(Map.of("environment", "calc", "model", "gpt"));
            assertThat(rewards.count()).isEqualTo(10);
            assertThat(rewards.sum()).isEqualTo(-20 - 1 - 0.5 - 0.3 - 0.0005 + 0.05 + 1 + 1 + 1.5 + 100);
            assertThat(rewards.min()).isEqualTo(-20);
            assertThat(rewards.max()).isEqualTo(100);
            assertThat(rewards.bounds())
                    .containsExactly(
                            -10.0, -5.0, -2.0, -1.0, -0.75, -0.5, -0.25, -0.1, -0.001, 0.0, 0.1, 0.25, 0.5, 0.75, 0.9,
                            1.0, 2.0, 5.0, 10.0);
            assertThat(rewards.counts())
                    .containsExactly(1L, 0L, 0L, 1L, 0L, 1L, 1L, 0L, 0L, 1L, 1L, 0L, 0L, 0L, 0L, 2L, 1L, 0L, 0L, 1L);
            assertThat(rewards.startNanos()).isPositive().isLessThan(rewards.timeNanos());
        }
    }

    @Test
    void rewards_thatAreNoNumbers_makeNoHistogram() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            reward(rig, Double.NaN, Double.POSITIVE_INFINITY);
            rig.flush();

            assertThat(rig.receiver().histograms("rlm.reward")).isEmpty();
        }
    }

    @Test
    void exemplars_thatAreTurnedOff_areNotMade() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_METRICS_EXEMPLAR_FILTER", "always_off"))) {
            try (Run run = rig.startRun("r")) {
                run.reward(0.5);
                run.complete("");
            }
            rig.flush();

            assertThat(rig.receiver().histograms("rlm.reward"))
                    .singleElement()
                    .satisfies(rewards -> assertThat(rewards.exemplars()).isEmpty());
        }
    }

    @Test
    void exemplars_leadToTheSpan() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                step.reward(-0.5);
                step.complete("");
                run.reward(1);
                run.complete("");
            }
            OtlpSpan step = rig.span("rlm.step");
            OtlpSpan run = rig.span("rlm.run");

            assertThat(rig.receiver().histograms("rlm.reward").get(0).exemplars())
                    .extracting(OtlpExemplar::value, OtlpExemplar::traceId, OtlpExemplar::spanId)
                    .containsExactly(
                            tuple(-0.5, step.traceId(), step.spanId()), tuple(1.0, run.traceId(), run.spanId()));
            assertThat(rig.receiver().numbers("rlm.steps").get(0).exemplars())
                    .extracting(OtlpExemplar::spanId)
                    .containsExactly(step.spanId());
            assertThat(rig.receiver().histograms("rlm.run_duration").get(0).exemplars())
                    .extracting(OtlpExemplar::spanId)
                    .containsExactly(run.spanId());
        }
    }

    @Test
    void rewards_cumulative_growFromFlushToFlush() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            reward(rig, -1);
            rig.flush();
            reward(rig, 0.25);
            rig.flush();

            List<OtlpHistogram> points = rig.receiver().histograms("rlm.reward");
            assertThat(points).extracting(OtlpHistogram::sum).containsExactly(-1.0, -0.75);
            assertThat(points)
                    .extracting(OtlpPoint::startNanos)
                    .containsOnly(points.get(0).startNanos());
            assertThat(points.get(1).exemplars())
                    .extracting(OtlpExemplar::value)
                    .containsExactly(0.25);
        }
    }

    @Test
    void rewards_delta_startAnew() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta"))) {
            reward(rig, -1);
            rig.flush();
            reward(rig, 0.25);
            rig.flush();

            List<OtlpHistogram> points = rig.receiver().histograms("rlm.reward");
            assertThat(points).extracting(OtlpHistogram::sum).containsExactly(-1.0, 0.25);
            assertThat(points).extracting(OtlpHistogram::max).containsExactly(-1.0, 0.25);
            assertThat(points).extracting(point -> point.metric().temporality()).containsOnly(Temporality.DELTA);
            assertThat(points.get(1).startNanos()).isEqualTo(points.get(0).timeNanos());
        }
    }

    @Test
    void durations_areMeasuredInSeconds() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Run solved = rig.startRun("solved");
            rig.clock().advanceMillis(300);
            solved.reward(1);
            solved.complete("");
            Run failed = rig.startRun("failed");
            rig.clock().advanceMillis(7_200_000);
            failed.reward(0);
            failed.fail(new IllegalStateException());
            rig.flush();

            List<OtlpHistogram> durations = rig.receiver().histograms("rlm.run_duration");
            assertThat(durations).extracting(point -> point.metric().unit()).containsOnly("s");
            assertThat(durations)
                    .extracting(OtlpPoint::attributes, OtlpHistogram::count, OtlpHistogram::sum)
                    .containsExactlyInAnyOrder(
                            tuple(labels("completed", true), 1L, 0.3), tuple(labels("failed", false), 1L, 7_200.0));
            assertThat(durations.get(0).bounds()).startsWith(0.001, 0.01, 0.1).endsWith(1_800.0, 3_600.0);
        }
    }

    @Test
    void durations_ofStepsAndTools_sayHowTheyWent() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r")) {
                Step step = run.startStep();
                ToolCall call = step.startToolCall("calculator");
                rig.clock().advanceMillis(20);
                call.result("12");
                call.close();
                rig.clock().advanceMillis(30);
                step.complete("");
                run.startStep().fail("no");
                ToolCall failing = run.startStep().startToolCall("calculator");
                failing.fail(1, "no");
                failing.close();
                run.complete("");
            }
            rig.flush();

            assertThat(rig.receiver().histograms("rlm.step_duration"))
                    .extracting(OtlpPoint::attributes, OtlpHistogram::count, OtlpHistogram::sum)
                    .containsExactlyInAnyOrder(
                            tuple(Map.of("environment", "calc", "model", "", "success", true), 1L, 0.05),
                            tuple(Map.of("environment", "calc", "model", "", "success", false), 2L, 0.0));
            assertThat(rig.receiver().histograms("rlm.tool_duration"))
                    .extracting(OtlpPoint::attributes, OtlpHistogram::count, OtlpHistogram::sum)
                    .containsExactlyInAnyOrder(
                            tuple(Map.of("environment", "calc", "tool", "calculator", "success", true), 1L, 0.02),
                            tuple(Map.of("environment", "calc", "tool", "calculator", "success", false), 1L, 0.0));
        }
    }

    @Test
    void activeRuns_areThoseThatHaveNotEnded() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Run run = rig.startRun("open");
            rig.startRun("ended").complete("");
            rig.startRun("failed").fail(new IllegalStateException());
            rig.sinks().publish(new Published("started elsewhere").started());
            rig.flush();
            run.close();
            rig.flush();
            rig.sinks().close();

            List<OtlpNumber> active = rig.receiver().numbers("rlm.runs.active");
            assertThat(active).extracting(OtlpNumber::value).startsWith(2L, 1L).endsWith(0L);
            assertThat(active).allSatisfy(point -> {
                assertThat(point.attributes()).isEqualTo(Map.of("environment", "calc"));
                assertThat(point.metric().monotonic()).isFalse();
            });
        }
    }

    @Test
    void run_whoseStartWasLost_isTraced_andCountsAmongNoneThatStarted() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Published lost = new Published("its start was another sink's");
            StepStarted step = lost.step(2, 1);
            rig.sink().onEvent(step);
            rig.sink().onEvent(lost.stepEnded(3, step));
            rig.sink().onEvent(lost.ended(4));
            rig.flush();

            assertThat(rig.receiver().spans())
                    .extracting(OtlpSpan::name)
                    .containsExactlyInAnyOrder("rlm.run.started", "rlm.step", "rlm.run");
            assertThat(rig.receiver().numbers("rlm.runs")).isEmpty();
            assertThat(rig.receiver().numbers("rlm.runs.active")).isEmpty();
            assertThat(rig.receiver().numbers("rlm.steps")).isNotEmpty();
        }
    }

    @Test
    void run_whoseStartComesLateAndTwice_countsOnce() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Published late = new Published("late");
            rig.sink().onEvent(late.step(2, 1));
            rig.sink().onEvent(late.started());
            rig.sink().onEvent(late.started());
            rig.sink().onEvent(late.ended(3));
            rig.flush();

            assertThat(rig.receiver().numbers("rlm.runs")).singleElement().returns(1L, OtlpNumber::value);
            assertThat(rig.receiver().numbers("rlm.runs.active")).last().returns(0L, OtlpNumber::value);
        }
    }

    @Test
    void runs_withoutReward_haveNoSolved() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.startRun("r").complete("");
            rig.flush();

            assertThat(rig.receiver().histograms("rlm.run_duration"))
                    .extracting(OtlpPoint::attributes)
                    .containsExactly(
                            Map.of("environment", "calc", "model", "", "completed", true, "outcome", "completed"));
            assertThat(rig.receiver().histograms("rlm.run_reward")).isEmpty();
        }
    }

    private static Map<String, Object> labels(String outcome, boolean solved) {
        boolean completed = outcome.equals("completed");
        return Map.of("environment", "calc", "model", "", "completed", completed, "solved", solved, "outcome", outcome);
    }

    @Test
    void metrics_turnedOff_areNotSent() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("RLM_OTEL_METRICS_ENABLED", "false"))) {
            reward(rig, 1);

            assertThat(rig.spans()).hasSize(2);
            assertThat(rig.receiver().requests(OtlpSignal.METRICS)).isEmpty();
        }
    }

    private static <T> T only(List<T> all) {
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static void record(Rig rig, String runId, String environment, int steps) {
        Run run = rig.sinks().startRun(RunSpec.builder(environment).runId(runId).build());
        for (int i = 0; i < steps; i++) {
            run.startStep().complete("");
        }
        run.complete("");
    }

    private static void reward(Rig rig, double... rewards) {
        Run run = rig.sinks().startRun(RunSpec.builder("calc").model("gpt").build());
        Arrays.stream(rewards).forEach(run::reward);
        run.complete("");
    }
}
