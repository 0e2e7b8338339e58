package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.Place.Work;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.backend.OtlpNumber;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Events;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sink that uses the program's own OpenTelemetry. */
class InjectedOpenTelemetryTest {
    private OtlpReceiver receiver;
    private OpenTelemetrySdk sdk;

    @BeforeEach
    void start() throws IOException {
        receiver = OtlpReceiver.start();
        sdk = sdk(Sampler.alwaysOn());
    }

    @AfterEach
    void stop() {
        sdk.close();
        receiver.close();
    }

    private OpenTelemetrySdk sdk(Sampler sampler) {
        return OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .setSampler(sampler)
                        .addSpanProcessor(BatchSpanProcessor.builder(OtlpGrpcSpanExporter.builder()
                                        .setEndpoint(receiver.grpcEndpoint())
                                        .build())
                                .setScheduleDelay(Duration.ofMillis(20))
                                .build())
                        .build())
                .setMeterProvider(SdkMeterProvider.builder()
                        .registerMetricReader(PeriodicMetricReader.create(OtlpGrpcMetricExporter.builder()
                                .setEndpoint(receiver.grpcEndpoint())
                                .build()))
                        .build())
                .build();
    }

    @Test
    void status_tellsWhetherThereAreMetrics_andLeavesTheServiceNameToItsOwner() {
        try (OtelSink on = sink();
                OtelSink off =
                        OtelSink.builder().openTelemetry(sdk).metrics(false).build()) {
            assertThat(on.status().facts()).containsExactly(Map.entry("metrics", "on"));
            assertThat(off.status().facts()).containsExactly(Map.entry("metrics", "off"));
        }
    }

    private OtelSink sink() {
        return OtelSink.builder().openTelemetry(sdk).build();
    }

    @Test
    void scope_beforeTheLane_startsTheSpans() {
        OtelSink sink = sink();
        List<Event> events = Events.minimal("r");
        StepStarted step = Events.minimal("r", StepStarted.class);
        try (Scope scope = sink.openScope(Place.of(step))) {
            assertThat(scope).isNotNull();
            sdk.getTracer("other").spanBuilder("work").startSpan().end();
        }
        events.forEach(sink::onEvent);
        sink.close();

        nest("rlm.run", "rlm.step", "work");
        assertThat(only("rlm.step").attributes()).containsEntry("rlm.step", 1L);
        assertThat(only("rlm.run").attributes()).containsEntry("rlm.run_id", "r");
    }

    @Test
    void lane_beforeTheScope_startsTheSpans() {
        try (Sinks sinks = Sinks.builder().add("otel", sink()).build();
                Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build());
                Step step = run.startStep()) {
            sinks.flush(Duration.ofSeconds(10));
            try (Scope scope = step.makeCurrent()) {
                assertThat(scope).isNotNull();
                sdk.getTracer("other").spanBuilder("work").startSpan().end();
            }
            step.complete("");
            run.complete("");
        }

        nest("rlm.run", "rlm.step", "work");
    }

    @Test
    void scopes_afterTheEnds_startNoSpans() {
        try (Sinks sinks = Sinks.builder().add("otel", sink()).build()) {
            Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build());
            Step step = run.startStep();
            step.complete("");
            sinks.flush(Duration.ofSeconds(10));
            try (Scope scope = step.makeCurrent()) {
                assertThat(scope).isNotNull();
                assertThat(Span.current().getSpanContext().getTraceId())
                        .isEqualTo(only("rlm.step").traceId());
            }
            run.complete("");
            sinks.flush(Duration.ofSeconds(10));
            try (Scope scope = run.makeCurrent()) {
                assertThat(scope).isNotNull();
                assertThat(Span.current().getSpanContext().isValid()).isFalse();
            }
        }

        assertThat(receiver.awaitSpans(3))
                .extracting(OtlpSpan::name)
                .containsExactly("rlm.run.started", "rlm.step", "rlm.run");
    }

    @Test
    void traceId_isTheSdksOwn() {
        OtelSink sink = sink();
        assertThat(sink.traceId("r")).isEmpty();
        try (Sinks sinks = Sinks.builder().add("otel", sink).build()) {
            sinks.startRun(RunSpec.builder("calc").runId("r").build()).complete("");
            sinks.flush(Duration.ofSeconds(10));

            assertThat(sink.traceId("r")).hasValue(only("rlm.run").traceId());
        }
    }

    @Test
    void scope_ofARunOfWhichTheLaneNeverHears_leavesNothingActive() {
        OtelSink sink = sink();
        StepStarted step = Events.minimal("r", StepStarted.class);
        try (Scope scope = sink.openScope(Place.of(step))) {
            assertThat(scope).isNotNull();
        }
        sink.close();
        sdk.getSdkMeterProvider().forceFlush().join(10, TimeUnit.SECONDS);

        assertThat(List.of(only("rlm.step"), only("rlm.run")))
                .allSatisfy(span -> assertThat(span.attributes())
                        .containsEntry("rlm.run_id", "r")
                        .containsEntry("error.type", "aborted"));
        assertThat(receiver.numbers("rlm.runs.active")).isEmpty(); // only a start that was seen counts
    }

    @Test
    void reward_afterTheRun_isInItsTrace() {
        Published run = new Published("r");
        OtelSink sink = sink();
        Stream.of(run.started(), run.ended(2), run.reward(3, 0.5), new Published("unknown").reward(3, 0.5))
                .forEach(sink::onEvent);
        sink.close();

        nest("rlm.run", "rlm.reward");
        assertThat(sink.acknowledged().delivered()).isEqualTo(3);
        assertThat(sink.acknowledged().dropped()).isEqualTo(Map.of("late", 1L));
    }

    @Test
    void scope_ofAForgottenRun_startsNoSpan() {
        Published first = new Published("first");
        OtelSink sink = sink();
        sink.onEvent(first.ended(2));
        for (int i = 0; i < 4_200; i++) {
            sink.onEvent(new Published("run-" + i, FakeClock.START.plusMillis(i + 1)).ended(2));
        }
        sdk.getSdkTracerProvider().forceFlush().join(10, TimeUnit.SECONDS);
        try (Scope scope = sink.openScope(Place.of(first.info()))) {
            assertThat(scope).isNotNull();
            assertThat(Span.current().getSpanContext().isValid()).isFalse();
        }
        sink.close();
        sdk.getSdkTracerProvider().forceFlush().join(10, TimeUnit.SECONDS);

        assertThat(receiver.spans("rlm.run"))
                .isNotEmpty()
                .allSatisfy(span -> assertThat(span.attributes()).containsEntry("rlm.outcome", "completed"));
    }

    @Test
    void judgesCalls_areInTheRun() {
        Published run = new Published("r");
        OtelSink sink = sink();
        Stream.of(run.started(), run.modelCall(3, 4), run.reward(4, 0, 0.5, 2), run.ended(5))
                .forEach(sink::onEvent);
        sink.close();

        nest("rlm.run", "chat judge");
        nest("rlm.run", "rlm.reward");
    }

    @Test
    void workThatIsCurrent_isTheParentOfWhatIsDoneInIt() {
        try (Sinks sinks = Sinks.builder().add("otel", sink()).build();
                Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build());
                Step step = run.startStep()) {
            try (dev.rlm.sinks.Span plan = step.span("plan");
                    dev.rlm.sinks.Span rank = plan.span("rank")) {
                within(rank.makeCurrent(), "ranking"); // before its parent
                within(plan.makeCurrent(), "planning");
                plan.attribute("breadth", 3).startModelCall("openai", "gpt").close();
                rank.fail("no");
            }
            step.complete("");
            run.complete("");
        }

        nest("rlm.run", "rlm.step", "plan", "rank", "ranking");
        nest("plan", "planning");
        nest("plan", "chat gpt");
        assertThat(only("plan").attributes()).containsEntry("breadth", 3L).containsEntry("rlm.run_id", "r");
        assertThat(only("rank").statusMessage()).isEqualTo("no");
    }

    @Test
    void workThatIsCurrent_hasTheLengthAndTheFactsThatItHasOtherwise() {
        Published run = new Published("r");
        Work plan = new Work(2, 1_000_000, Work.Kind.SPAN, "plan", null);
        OtelSink sink = sink();
        sink.onEvent(run.started());
        within(sink.openScope(Place.of(run.info()).with(plan)), "planning");
        sink.onEvent(run.span(2, 1, "plan", 0, Map.of("breadth", 3), null));
        sink.onEvent(run.span(3, 1, "other", 0, Map.of("breadth", 3), null));
        within(sink.openScope(Place.of(run.info()).with(plan)), "afterwards"); // starts no other
        sink.onEvent(run.ended(4));
        sink.close();

        nest("rlm.run", "plan", "planning");
        nest("plan", "afterwards");
        OtlpSpan other = only("other");
        assertThat(only("plan"))
                .returns(other.kind(), OtlpSpan::kind)
                .returns(other.status(), OtlpSpan::status)
                .returns(other.startNanos(), OtlpSpan::startNanos)
                .returns(other.attributes(), OtlpSpan::attributes)
                .returns(FakeClock.at(2), OtlpSpan::endNanos);
        assertThat(sink.acknowledged().delivered()).isEqualTo(4);
    }

    @Test
    void rewardThatTookNoTime_isASpanWhereItWasCurrent() {
        Published run = new Published("r");
        Work judge = new Work(2, 2_000_000, Work.Kind.EVALUATION, "judge", null);
        OtelSink sink = sink();
        sink.onEvent(run.started());
        within(sink.openScope(Place.of(run.info()).with(judge)), "judging");
        Stream.of(run.reward(2, 0.5), run.reward(3, 0.5), run.ended(4)).forEach(sink::onEvent);
        sink.close();

        nest("rlm.run", "rlm.reward", "judging");
        assertThat(only("rlm.reward").attributes()).containsEntry("rlm.reward", 0.5);
    }

    @Test
    void workWhoseEndNeverComes_endsWithItsRun() {
        Published run = new Published("r");
        Work plan = new Work(2, 1_000_000, Work.Kind.SPAN, "plan", null);
        Work rank = new Work(3, 2_000_000, Work.Kind.SPAN, "rank", plan);
        OtelSink sink = sink();
        sink.onEvent(run.started());
        assertThat(sink.traceContext(Place.of(run.info()).with(rank))).isPresent();
        sink.onEvent(run.ended(4));
        sink.close();

        nest("rlm.run", "plan", "rank");
        assertThat(List.of(only("plan"), only("rank")))
                .allSatisfy(span -> assertThat(span.endNanos()).isEqualTo(FakeClock.at(4)))
                .allSatisfy(span -> assertThat(span.attributes())
                        .containsEntry("rlm.run_id", "r")
                        .containsEntry("error.type", "aborted"));
        assertThat(sink.acknowledged().delivered()).isEqualTo(2);
    }

    @Test
    void workOfAStepThatHasEnded_isInThatStep() {
        try (Sinks sinks = Sinks.builder().add("otel", sink()).build();
                Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build())) {
            Step step = run.startStep();
            Evaluation judge = step.startEvaluation("judge");
            step.complete("");
            sinks.flush(Duration.ofSeconds(10));
            within(judge.makeCurrent(), "judging");
            judge.reward(1);
            run.complete("");
        }

        nest("rlm.run", "rlm.step", "rlm.reward", "judging");
    }

    @Test
    void rewards_areASumACountAndBuckets() {
        try (Sinks sinks = Sinks.builder().add("otel", sink()).build();
                Run run = sinks.startRun(RunSpec.builder("calc").model("gpt").build())) {
            run.reward(-1.5);
            run.reward(0.25);
            run.reward(Double.NaN);
            run.complete("");
        }
        sdk.getSdkMeterProvider().forceFlush().join(10, TimeUnit.SECONDS);

        Map<String, Object> labels = Map.of("environment", "calc", "model", "gpt");
        OtlpNumber sum = receiver.numbers("rlm.reward.sum").get(0);
        assertThat(sum.value()).isEqualTo(-1.25);
        assertThat(sum.attributes()).isEqualTo(labels);
        assertThat(sum.metric().monotonic()).isFalse();
        OtlpNumber count = receiver.numbers("rlm.reward.count").get(0);
        assertThat(count.value()).isEqualTo(2L);
        assertThat(count.attributes()).isEqualTo(labels);
        List<OtlpNumber> buckets = receiver.numbers("rlm.reward.bucket");
        assertThat(buckets).extracting(bucket -> bucket.attributes().get("le")).contains("-1", "0.25", "+Inf");
        assertThat(buckets).allSatisfy(bucket -> {
            assertThat(bucket.attributes()).containsAllEntriesOf(labels);
            String bound = String.valueOf(bucket.attributes().get("le")).replace("+Inf", "Infinity");
            double le = Double.parseDouble(bound);
            assertThat(bucket.value()).isEqualTo(le < -1.5 ? 0L : le < 0.25 ? 1L : 2L);
        });
        assertThat(receiver.numbers("rlm.reward.excluded").get(0).value()).isEqualTo(1L);
        assertThat(receiver.histograms("rlm.reward")).isEmpty();
        assertThat(receiver.numbers("rlm.runs")).hasSize(1);
    }

    @Test
    void close_leavesTheSdkOpen() {
        Sinks sinks = Sinks.builder().add("otel", sink()).build();
        sinks.startRun(RunSpec.builder("calc").build()).complete("");
        sinks.close();

        sdk.getTracer("other").spanBuilder("afterwards").startSpan().end();

        assertThat(only("afterwards")).isNotNull();
        assertThat(sinks.statuses().get(0).ledger().delivered()).isEqualTo(2);
        assertThat(sinks.statuses().get(0).available()).isTrue();
    }

    @Test
    void spansThatAreNotSampled_areNotDelivered() {
        sdk.close();
        sdk = sdk(Sampler.alwaysOff());
        Sinks sinks = Sinks.builder().add("otel", sink()).build();
        sinks.startRun(RunSpec.builder("calc").build()).complete("");
        sinks.close();

        assertThat(sinks.statuses().get(0).ledger().dropped()).containsExactly(Map.entry("not_sampled", 2L));
    }

    private void within(Scope scope, String name) {
        try (scope) {
            sdk.getTracer("other").spanBuilder(name).startSpan().end();
        }
    }

    @Test
    void runs_areAllKept_whateverShareWasAskedFor() {
        OtelSink sink = OtelSink.builder().openTelemetry(sdk).successRatio(0).build();
        Events.minimal("r").forEach(sink::onEvent);
        sink.close();

        assertThat(only("rlm.step")).isNotNull();
        assertThat(only("rlm.run").attributes()).doesNotContainKey("rlm.detail");
    }

    private OtlpSpan only(String name) {
        receiver.await(seen -> !seen.spans(name).isEmpty());
        assertThat(receiver.spans(name)).hasSize(1);
        return receiver.spans(name).get(0);
    }

    private void nest(String... names) {
        for (int i = 1; i < names.length; i++) {
            assertThat(only(names[i]).parentId()).isEqualTo(only(names[i - 1]).spanId());
            assertThat(only(names[i]).traceId()).isEqualTo(only(names[i - 1]).traceId());
        }
    }
}
