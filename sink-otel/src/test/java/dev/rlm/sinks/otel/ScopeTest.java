package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What is current in the scopes of a sink with its own SDK, which is what another tracer takes for its parent. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class ScopeTest {
    private final String protocol;

    ScopeTest(String protocol) {
        this.protocol = protocol;
    }

    @Test
    void scopes_haveTheIdsOfTheSpans() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            SpanContext inRun;
            SpanContext inStep;
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                inRun = current(run.makeCurrent());
                try (Scope outer = run.makeCurrent()) {
                    assertThat(outer).isNotNull();
                    inStep = current(step.makeCurrent());
                    assertThat(Span.current().getSpanContext()).isEqualTo(inRun);
                }
                assertThat(Span.current().getSpanContext().isValid()).isFalse();
                step.complete("");
                run.complete("");
            }

            is(inRun, rig.span("rlm.run"));
            is(inStep, rig.span("rlm.step"));
            assertThat(inRun.isSampled()).isTrue();
            assertThat(inStep.isSampled()).isTrue();
        }
    }

    @Test
    void scopesOfWork_haveTheIdsOfItsSpans_alsoWhereItTookNoTime() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            SpanContext inPlan;
            SpanContext inJudge;
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                try (dev.rlm.sinks.Span plan = step.span("plan")) {
                    inPlan = current(plan.makeCurrent());
                }
                try (Evaluation judge = step.startEvaluation("judge")) {
                    inJudge = current(judge.makeCurrent());
                    judge.reward(1);
                }
                step.reward(1);
                step.complete("");
                run.complete("");
            }

            is(inPlan, rig.span("plan"));
            is(inJudge, rig.span("rlm.reward"));
        }
    }

    @Test
    void scopes_addTheIdsOfRunAndRolloutToTheBaggageOfTheThread() throws IOException {
        Baggage programs = Baggage.builder()
                .put("tenant", "a b")
                .put("rlm.run_id", "older")
                .build();
        try (Rig rig = Rig.by(protocol);
                Run run = rig.sinks()
                        .startRun(RunSpec.builder("calc")
                                .runId("r")
                                .rollout("ro/1")
                                .build());
                Run other = rig.startRun("other");
                Step step = run.startStep();
                io.opentelemetry.context.Scope ofProgram = programs.makeCurrent()) {
            assertThat(ofProgram).isNotNull();
            try (Scope scope = step.makeCurrent()) {
                assertThat(scope).isNotNull();
                assertThat(entries()).isEqualTo(Map.of("tenant", "a b", "rlm.run_id", "r", "rlm.rollout_id", "ro/1"));
                try (Scope inner = other.makeCurrent()) {
                    assertThat(inner).isNotNull();
                    assertThat(entries()).isEqualTo(Map.of("tenant", "a b", "rlm.run_id", "other"));
                }
            }
            assertThat(entries()).isEqualTo(Map.of("tenant", "a b", "rlm.run_id", "older"));
            step.complete("");
            run.complete("");
        }
    }

    private static Map<String, String> entries() {
        return Baggage.current().asMap().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().getValue()));
    }

    @Test
    void scope_ofAWrappedTask_isThatInWhichItWasHandedOver() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Rig rig = Rig.by(protocol);
                Run run = rig.startRun("r");
                Step step = run.startStep()) {
            Future<SpanContext> inTask;
            try (Scope scope = step.makeCurrent()) {
                assertThat(scope).isNotNull();
                inTask = Scope.wrap(threads).submit(() -> Span.current().getSpanContext());
            }
            assertThat(threads.submit(() -> Span.current().getSpanContext().isValid())
                            .get())
                    .isFalse();
            step.complete("");
            run.complete("");

            is(inTask.get(), rig.span("rlm.step"));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void scope_onAnotherThread_isThere() throws IOException {
        try (Rig rig = Rig.by(protocol);
                Run run = rig.startRun("r");
                Step step = run.startStep()) {
            SpanContext elsewhere = CompletableFuture.supplyAsync(() -> current(step.makeCurrent()))
                    .join();
            step.complete("");
            run.complete("");

            is(elsewhere, rig.span("rlm.step"));
        }
    }

    @Test
    void scope_ofARunThatIsNotSampled_saysSo() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_TRACES_SAMPLER", "always_off"));
                Run run = rig.startRun("r");
                Step step = run.startStep()) {
            assertThat(current(run.makeCurrent()).isSampled()).isFalse();
            assertThat(current(step.makeCurrent()).isSampled()).isFalse();
            assertThat(current(step.makeCurrent()).isValid()).isTrue();
        }
    }

    @Test
    void sampler_isAskedOnceByScopesAndLaneTogether() throws IOException {
        int runs = 2_000; // scope and lane meet at the start and the end of some
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_TRACES_SAMPLER", "alternating"))) {
            for (int i = 0; i < runs; i++) {
                Run run = rig.startRun("run-" + i);
                assertThat(current(run.makeCurrent()).isSampled()).isEqualTo(i % 2 == 0);
                run.complete("");
                rig.sinks().reward("run-" + i, "person", 1, List.of());
                assertThat(current(run.makeCurrent()).isSampled()).isEqualTo(i % 2 == 0);
            }
            rig.flush();

            assertThat(rig.receiver().spans("rlm.run")).hasSize(runs / 2);
            assertThat(rig.receiver().spans("rlm.reward")).hasSize(runs / 2);
            assertThat(rig.ledger().dropped()).isEqualTo(Map.of("not_sampled", 3L * runs / 2));
        }
    }

    @Test
    void scope_afterTheEnd_makesNoSpan() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Run run = rig.startRun("r");
            Step step = run.startStep();
            step.complete("");
            run.complete("");
            OtlpSpan sent = rig.span("rlm.run");
            is(current(run.makeCurrent()), sent);
            is(current(step.makeCurrent()), rig.span("rlm.step"));

            rig.sinks().close();

            assertThat(rig.receiver().spans()).hasSize(3);
        }
    }

    private static SpanContext current(Scope scope) {
        try (scope) {
            return Span.current().getSpanContext();
        }
    }

    private static void is(SpanContext context, OtlpSpan span) {
        assertThat(context.getTraceId()).isEqualTo(span.traceId());
        assertThat(context.getSpanId()).isEqualTo(span.spanId());
    }
}
