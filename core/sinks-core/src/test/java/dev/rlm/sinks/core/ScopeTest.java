package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;

@Timeout(60)
class ScopeTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "");

    private final Sinks sinks = Sinks.builder().add("tracing", new Tracing()).build();
    private final Run run = sinks.startRun(RunSpec.builder("env")
            .runId("run-1")
            .correlation(Correlation.builder().rollout("rollout-1").build())
            .build());
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    @AfterEach
    void close() {
        sinks.close();
        threads.shutdownNow();
        assertThat(MDC.get("run_id")).isNull();
    }

    private static @Nullable String logged(String key) {
        return MDC.get(key);
    }

    @Test
    void scope_tellsTheLogWhereItIs() {
        try (Scope ofRun = run.makeCurrent()) {
            assertThat(logged("run_id")).isEqualTo("run-1");
            assertThat(logged("rollout_id")).isEqualTo("rollout-1");
            assertThat(logged("step")).isNull();
            assertThat(logged("trace_id")).isEqualTo(TRACE);
            assertThat(logged("span_id")).isEqualTo("0000000000000001");
            try (Step step = run.startStep();
                    Scope ofStep = step.makeCurrent()) {
                assertThat(logged("run_id")).isEqualTo("run-1");
                assertThat(logged("step")).isEqualTo("1");
                assertThat(logged("span_id")).isEqualTo("0000000000000002");
            }
            assertThat(logged("step")).isNull();
            assertThat(logged("span_id")).isEqualTo("0000000000000001");
        }
        assertThat(logged("trace_id")).isNull();
    }

    @Test
    void scope_leavesTheProgramsOwnContextAsItWas() {
        MDC.put("step", "the program's");
        MDC.put("other", "kept");
        try (Scope scope = run.makeCurrent()) {
            assertThat(logged("step")).isNull();
            assertThat(logged("other")).isEqualTo("kept");
        }
        assertThat(logged("step")).isEqualTo("the program's");
        MDC.clear();
    }

    @Test
    void scopeWithoutTracing_tellsTheParentsTrace() {
        try (Sinks untraced = Sinks.builder().add("plain", new Recorder()).build();
                Run child = untraced.startRun(RunSpec.builder("env")
                        .parent(new TraceContext("00-" + TRACE + "-00000000000000ff-01", null, null))
                        .build());
                Scope scope = child.makeCurrent()) {
            assertThat(logged("trace_id")).isEqualTo(TRACE);
            assertThat(logged("span_id")).isEqualTo("00000000000000ff");
        }
    }

    @Test
    void spanAndEvaluation_canBeCurrent() {
        try (Step step = run.startStep();
                Span span = step.span("search");
                Scope ofSpan = span.makeCurrent()) {
            assertThat(CURRENT.get()).isEqualTo("run-1 1 SPAN search of 0");
            try (Span inner = span.span("rank");
                    Scope ofInner = inner.makeCurrent()) {
                assertThat(CURRENT.get()).isEqualTo("run-1 1 SPAN rank of 3");
            }
            try (Evaluation evaluation = step.startEvaluation("judge");
                    Scope ofEvaluation = evaluation.makeCurrent()) {
                assertThat(CURRENT.get()).isEqualTo("run-1 1 EVALUATION judge of 0");
                assertThat(evaluation.traceContext()).isPresent();
            }
        }
        assertThat(CURRENT.get()).isEmpty();
    }

    @Test
    void wrappedTasks_runWhereTheyWereWrapped() throws Exception {
        Runnable outside = () -> assertThat(CURRENT.get()).isEmpty();
        assertThat(Scope.wrap(outside)).isSameAs(outside);
        Callable<String> task = () -> CURRENT.get() + "/" + logged("run_id");
        Callable<String> wrapped;
        try (Step step = run.startStep();
                Scope scope = step.makeCurrent()) {
            wrapped = Scope.wrap(task);
        }

        assertThat(threads.submit(wrapped).get()).isEqualTo("run-1 1/run-1");
        assertThat(threads.submit(task).get()).isEqualTo("/null");
        assertThat(wrapped.call()).isEqualTo("run-1 1/run-1");
        assertThat(CURRENT.get()).isEmpty();
    }

    @Test
    void wrappedExecutors_runEachTaskWhereItWasHandedOver() throws Exception {
        ExecutorService executor = Scope.wrap(threads);
        Executor plain = Scope.wrap((Executor) Runnable::run);
        Callable<String> task = CURRENT::get;
        try (Step step = run.startStep();
                Scope scope = step.makeCurrent()) {
            assertThat(executor.submit(task).get()).isEqualTo("run-1 1");
            assertThat(executor.invokeAll(List.of(task, task)))
                    .allSatisfy(answer -> assertThat(answer.get()).isEqualTo("run-1 1"));
            assertThat(executor.invokeAny(List.of(task))).isEqualTo("run-1 1");
            plain.execute(() -> assertThat(CURRENT.get()).isEqualTo("run-1 1"));
        }
        assertThat(executor.submit(task).get()).isEmpty();

        executor.shutdown();
        assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(threads.isShutdown()).isTrue();
    }

    @Test
    void scopesClosedInAnyOrderOrElsewhere_doNoHarm() throws Exception {
        Scope outer = run.makeCurrent();
        Scope inner = run.startStep().makeCurrent();
        threads.submit(inner::close).get();
        assertThat(CURRENT.get()).isEqualTo("run-1 1");
        inner.close();
        inner.close();
        outer.close();
        assertThat(CURRENT.get()).isEmpty();
        assertThat(Scope.wrap(threads)).isNotNull();
    }

    @Test
    void rolloutOfTheProcess_holdsWhereNoneIsGiven() {
        Recorder sink = new Recorder();
        try (Sinks one = Sinks.builder()
                .config(SinkConfig.of(Map.of("EP_ROLLOUT_ID", "the-process's", "RLM_JSONL_ENABLED", "false")))
                .add("recorder", sink)
                .build()) {
            one.startRun(RunSpec.builder("env").build()).complete("");
            one.startRun(RunSpec.builder("env")
                            .correlation(
                                    Correlation.builder().rollout("its-own").build())
                            .build())
                    .complete("");
        }

        assertThat(sink.events(dev.rlm.sinks.event.RunStarted.class))
                .extracting(start -> start.run().correlation().rollout())
                .containsExactly("the-process's", "its-own");
    }

    /** Knows what is current on each thread, and tells the number of scopes as span ids. */
    private static final class Tracing implements Sink {
        @Override
        public Scope openScope(Place place) {
            String outer = CURRENT.get();
            CURRENT.set(text(place));
            return new Scope() {
                @Override
                public Optional<TraceContext> traceContext() {
                    return Tracing.this.traceContext(place);
                }

                @Override
                public void close() {
                    CURRENT.set(outer);
                }
            };
        }

        private static String text(Place place) {
            Place.Work work = place.work();
            return place.run().runId()
                    + (place.step() == null ? "" : " " + place.step().step())
                    + (work == null ? "" : " " + work.kind() + " " + work.name() + " of " + work.parentSeq());
        }

        @Override
        public Optional<TraceContext> traceContext(Place place) {
            String span = place.step() == null ? "01" : "02";
            return Optional.of(new TraceContext("00-" + TRACE + "-00000000000000" + span + "-01", null, null));
        }
    }
}
