package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerSpan;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import dev.rlm.sinks.testkit.InMemorySink;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a real Jaeger makes of runs. */
@Tag("thorough")
class JaegerTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    private static final JaegerServer jaeger = JaegerServer.create();

    @ParameterizedTest
    @ValueSource(strings = {Rig.GRPC, Rig.HTTP})
    void runs_80_are80Traces(String protocol) {
        String service = "runs-" + protocol;
        InMemorySink memory = new InMemorySink();
        try (Sinks sinks = Sinks.builder()
                .add("otel", sink(protocol, service))
                .add("memory", memory)
                .build()) {
            for (int i = 0; i < 80; i++) {
                record(sinks.startRun(RunSpec.builder("calc").task("task " + i).build()), i % 5);
            }
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }

        List<JaegerTrace> traces = jaeger.awaitTraces(service, 80);
        assertThat(traces).hasSize(80);
        assertThat(traces).allSatisfy(trace -> assertThat(trace.warnings()).isEmpty());
        for (RunEnded end : memory.events(RunEnded.class)) {
            JaegerTrace trace = traceOf(traces, end);
            isAsRecorded(trace, memory.of(end.run().runId()));
            assertThat(jaeger.tracesWith(service, "rlm.run_id", end.run().runId(), 10))
                    .extracting(JaegerTrace::traceId)
                    .containsExactly(trace.traceId());
        }
    }

    private static void record(Run run, int steps) {
        try (run) {
            for (int i = 0; i < steps; i++) {
                try (Step step = run.startStep()) {
                    step.action("calculator", "3 * " + i);
                    step.reward(-0.1);
                    if (i == 3) {
                        step.fail("", "no");
                    } else {
                        step.complete("" + 3 * i);
                    }
                }
            }
            run.reward(1);
            run.complete("12");
        }
    }

    private static JaegerTrace traceOf(List<JaegerTrace> traces, RunEnded end) {
        return traces.stream()
                .filter(trace ->
                        trace.traceId().equals(Ids.of(end.run().runId()).traceId()))
                .findFirst()
                .orElseThrow();
    }

    private static void isAsRecorded(JaegerTrace trace, List<RunEvent> events) {
        RunEnded end = (RunEnded) events.get(events.size() - 1);
        JaegerSpan run = trace.spans("rlm.run").get(0);
        assertThat(trace.spans()).hasSize(2 + end.steps());
        assertThat(trace.spans("rlm.run.started")).singleElement().satisfies(marker -> {
            assertThat(marker.parentId()).isEqualTo(run.spanId());
            lasts(marker, end.run(), 0, 1_000);
        });
        assertThat(run.parentId()).isEmpty();
        lasts(run, end.run(), 0, end.nanos());
        assertThat(run.logs())
                .extracting(JaegerSpan.Log::event)
                .containsExactly("gen_ai.evaluation.result", "result", "final_answer");
        assertThat(run.tags()).containsEntry("otel.status_code", "OK").containsEntry("rlm.total_steps", (long)
                end.steps());
        events.stream()
                .filter(StepEnded.class::isInstance)
                .map(StepEnded.class::cast)
                .forEach(step -> {
                    JaegerSpan span = trace.spans("rlm.step").stream()
                            .filter(each ->
                                    Long.valueOf(step.step()).equals(each.tags().get("rlm.step")))
                            .findFirst()
                            .orElseThrow();
                    assertThat(span.parentId()).isEqualTo(run.spanId());
                    lasts(span, step.run(), step.started().nanos(), step.nanos());
                    assertThat(span.logs())
                            .extracting(JaegerSpan.Log::event)
                            .contains("gen_ai.evaluation.result", "code_execution");
                    assertThat(span.tags()).containsEntry("otel.status_code", step.success() ? "OK" : "ERROR");
                });
    }

    /** Jaeger cuts start and length to microseconds. */
    private static void lasts(JaegerSpan span, RunInfo run, long fromNanos, long toNanos) {
        Instant start = run.at(fromNanos);
        assertThat(span.startMicros()).isEqualTo(ChronoUnit.MICROS.between(Instant.EPOCH, start));
        assertThat(span.durationMicros()).isEqualTo(Math.max(1, (toNanos - fromNanos) / 1_000));
    }

    @Test
    void spans_ofNoLength_haveNoWarnings() {
        try (Sinks sinks = new FakeClock()
                .of(Sinks.builder())
                .add("otel", sink(Rig.GRPC, "instant"))
                .build()) {
            record(sinks.startRun(RunSpec.builder("calc").runId("instant").build()), 3);
        }

        JaegerTrace trace = jaeger.awaitTrace(Ids.of("instant").traceId(), 5);
        assertThat(trace.spans()).hasSize(5);
        assertThat(trace.warnings()).isEmpty();
    }

    @Tag("smoke")
    @Test
    void runThatIsNotKept_isFoundAndHasItsFigures() {
        OtelSink sink = OtelSink.builder()
                .config(config(Rig.GRPC, "volume"))
                .successRatio(0)
                .build();
        try (Sinks sinks = Sinks.builder().add("otel", sink).build()) {
            record(sinks.startRun(RunSpec.builder("calc").runId("not-kept").build()), 3);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }

        jaeger.awaitTrace(Ids.of("not-kept").traceId(), 2);
        assertThat(jaeger.tracesWith("volume", "rlm.detail", "dropped", 10))
                .singleElement()
                .satisfies(trace -> {
                    assertThat(trace.spans())
                            .extracting(JaegerSpan::name)
                            .containsExactlyInAnyOrder("rlm.run", "rlm.run.started");
                    assertThat(trace.spans("rlm.run").get(0).tags())
                            .containsEntry("rlm.total_steps", 3L)
                            .containsEntry("otel.status_code", "OK");
                    assertThat(trace.warnings()).isEmpty();
                });
    }

    @Test
    void runs_sentTwice_areThereOnce() {
        for (int time = 0; time < 2; time++) {
            FakeClock clock = new FakeClock();
            try (Sinks sinks = clock.of(Sinks.builder())
                    .add("otel", sink(Rig.GRPC, "twice"))
                    .build()) {
                Run run = sinks.startRun(RunSpec.builder("calc").runId("same").build());
                clock.advanceMillis(5);
                Step step = run.startStep();
                clock.advanceMillis(20);
                step.complete("12");
                run.complete("12");
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
            }
        }
        sendAfterwards();

        assertThat(jaeger.trace(Ids.of("same").traceId())).hasValueSatisfying(trace -> {
            assertThat(trace.spans("rlm.run")).hasSize(1);
            assertThat(trace.spans("rlm.step")).hasSize(1);
            assertThat(trace.spans("rlm.run.started")).hasSize(1);
            assertThat(trace.warnings()).isEmpty();
        });
    }

    /** What arrives later is seen later: once this is there, so is all that was sent before. */
    private static void sendAfterwards() {
        try (Sinks sinks =
                Sinks.builder().add("otel", sink(Rig.GRPC, "afterwards")).build()) {
            sinks.startRun(RunSpec.builder("calc").build()).complete("");
        }
        jaeger.awaitTraces("afterwards", 1);
    }

    @Test
    void metrics_areNoTrouble() {
        try (Sinks sinks =
                Sinks.builder().add("otel", sink(Rig.HTTP, "metrics")).build()) {
            sinks.startRun(RunSpec.builder("calc").build()).complete("");

            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
            assertThat(sinks.statuses().get(0).available()).isTrue();
            assertThat(sinks.statuses().get(0).detail()).endsWith(" spans arrived; no metrics or logs: it takes none");
        }
    }

    @Test
    void check_leavesNothing() {
        for (String protocol : List.of(Rig.GRPC, Rig.HTTP)) {
            try (OtelSink sink = sink(protocol, "checked")) {
                assertThat(sink.check(PATIENCE))
                        .returns(true, Sink.Health::available)
                        .satisfies(health -> assertThat(health.detail()).contains("spans: taken, metrics: not taken"));
            }
        }
        sendAfterwards();
        assertThat(jaeger.services()).doesNotContain("checked");
    }

    private static OtelSink sink(String protocol, String service) {
        return OtelSink.builder().config(config(protocol, service)).build();
    }

    private static SinkConfig config(String protocol, String service) {
        return SinkConfig.of(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        protocol.equals(Rig.GRPC) ? jaeger.grpcEndpoint() : jaeger.httpEndpoint(),
                        "OTEL_EXPORTER_OTLP_PROTOCOL",
                        protocol,
                        "OTEL_SERVICE_NAME",
                        service))
                .sink("otel");
    }
}
