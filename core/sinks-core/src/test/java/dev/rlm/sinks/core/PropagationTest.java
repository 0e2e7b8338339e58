package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What runs and steps hand down, and what runs take from parents, as the hub and its sinks see it. */
@Timeout(60)
class PropagationTest {
    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String OWN = "00-11111111111111111111111111111111-2222222222222222-01";
    private static final String OTHER = "00-33333333333333333333333333333333-4444444444444444-01";

    private final List<RunInfo> started = new ArrayList<>();

    @Test
    void run_ofAHubWithoutSinks_handsDownNothing() {
        try (Sinks sinks = Sinks.builder().build();
                Run run = sinks.startRun(RunSpec.builder("calc").build());
                Step step = run.startStep()) {
            assertThat(run.traceContext()).isEmpty();
            assertThat(step.traceContext()).isEmpty();
            assertThat(RunSpec.builder("calc").parent(run).parent(step).build().parent())
                    .isEqualTo(TraceContext.NONE);
        }
    }

    @Test
    void run_thatNoSinkTraces_handsDownItsIdAndItsParents() {
        try (Sinks sinks = sinks(new Recorder());
                Run alone = sinks.startRun(spec("a run").build());
                Run child = sinks.startRun(
                        spec("child").parent(carrier(PARENT, "v=1", "k=v")).build())) {
            assertThat(alone.traceContext()).hasValue(new TraceContext(null, null, "rlm.run_id=a%20run"));
            assertThat(alone.startStep().traceContext()).isEqualTo(alone.traceContext());
            assertThat(child.traceContext()).hasValue(new TraceContext(PARENT, "v=1", "rlm.run_id=child,k=v"));
        }
    }

    @Test
    void firstSinkThatAnswers_isHeard_andOneThatFailsIsNot() {
        Sink failing = new Tracing(null) {
            @Override
            public Optional<TraceContext> traceContext(Place place) {
                throw new IllegalStateException("broken");
            }
        };
        Tracing stepOnly = new Tracing(OWN);
        try (Sinks sinks = sinks(failing, new Tracing(null), stepOnly, new Tracing(OTHER));
                Run run = sinks.startRun(
                        spec("r").parent(carrier(PARENT, "v=1", "k=v")).build())) {
            assertThat(run.traceContext()).hasValue(new TraceContext(OWN, "s=run", "rlm.run_id=r,k=v"));
            assertThat(run.startStep().traceContext()).hasValue(new TraceContext(OWN, "s=step1", "rlm.run_id=r,k=v"));
        }
    }

    @Test
    void child_hasTheParentsRunAndContext() {
        try (Sinks sinks = sinks(new Tracing(OWN))) {
            Run mother = sinks.startRun(spec("mother").build());
            start(sinks, spec("of-run").parent(mother));
            start(sinks, spec("of-step").parent(mother.startStep()));
            start(
                    sinks,
                    spec("elsewhere").parent(mother.traceContext().orElseThrow().toEnvironment()));
            start(
                    sinks,
                    spec("told")
                            .parent(mother)
                            .correlation(
                                    Correlation.builder().parentRun("another").build()));
            sinks.flush(Duration.ofSeconds(10));

            assertThat(started)
                    .extracting(run -> run.runId() + " of " + run.correlation().parentRun())
                    .containsExactly(
                            "mother of null",
                            "of-run of mother",
                            "of-step of mother",
                            "elsewhere of mother",
                            "told of another");
            assertThat(started.get(1).parent()).isEqualTo(new TraceContext(OWN, "s=run", "rlm.run_id=mother"));
            assertThat(started.get(2).parent()).isEqualTo(new TraceContext(OWN, "s=step1", "rlm.run_id=mother"));
            assertThat(started.get(3).parent()).isEqualTo(started.get(1).parent());
        }
    }

    @Test
    void whatIsNotValid_isNoParent() {
        try (Sinks sinks = sinks(new Tracing(null))) {
            start(sinks, spec("r").parent(carrier("nonsense", "more", "of it")));
            start(sinks, spec("s").parent(carrier("nonsense", "", "rlm.run_id=%20")));
            sinks.flush(Duration.ofSeconds(10));

            assertThat(started.get(0).parent()).isNull();
            assertThat(started).allMatch(run -> run.correlation().parentRun() == null);
        }
    }

    @Test
    void secrets_inForeignText_reachNoSinkAndNoChild() {
        Sinks.Builder builder = Sinks.builder().secret("sword fish").add("0", new Tracing(null));
        try (Sinks sinks = builder.build();
                Run run = sinks.startRun(spec("r")
                        .parent(carrier(PARENT, "v=sword fish", "k=sword%20fish,rlm.run_id=my-sword%20fish"))
                        .build())) {
            sinks.flush(Duration.ofSeconds(10));

            assertThat(started.toString()).doesNotContain("sword");
            assertThat(started.get(0).correlation().parentRun()).startsWith("my-[REDACTED:");
            assertThat(run.traceContext().orElseThrow().toString())
                    .doesNotContain("sword")
                    .contains(PARENT, "REDACTED");
        }
    }

    private static RunSpec.Builder spec(String runId) {
        return RunSpec.builder("calc").runId(runId);
    }

    private static Map<String, String> carrier(String parent, String state, String baggage) {
        return Map.of("traceparent", parent, "tracestate", state, "baggage", baggage);
    }

    private static void start(Sinks sinks, RunSpec.Builder spec) {
        sinks.startRun(spec.build()).complete("");
    }

    private static Sinks sinks(Sink... sinks) {
        Sinks.Builder builder = Sinks.builder();
        for (int i = 0; i < sinks.length; i++) {
            builder.add(String.valueOf(i), sinks[i]);
        }
        return builder.build();
    }

    /** Keeps the runs that start, and has one span for all; none where it is {@code null}. */
    private class Tracing implements Sink {
        private final @Nullable String span;

        Tracing(@Nullable String span) {
            this.span = span;
        }

        @Override
        public void onRunStarted(RunStarted event) {
            started.add(event.run());
        }

        @Override
        public Optional<TraceContext> traceContext(Place place) {
            StepStarted step = place.step();
            String state = step == null ? "s=run" : "s=step" + step.step();
            return Optional.ofNullable(span).map(known -> new TraceContext(known, state, null));
        }
    }
}
