package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.ToolCalled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ActivityTest {
    private final Recorder sink = new Recorder();
    private final Sinks sinks = Sinks.builder().add("recorder", sink).build();
    private final Run run = sinks.startRun(RunSpec.builder("env").build());

    @AfterEach
    void close() {
        sinks.close();
    }

    private static void callTool(String name) {
        Activity.current().startToolCall(name).close();
    }

    private ToolCalled call(String name) {
        sinks.close();
        return sink.events(ToolCalled.class).stream()
                .filter(call -> call.tool().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void current_isWhatWasMadeCurrentLastAndIsStillOpen() {
        assertThat(Activity.current().isRecording()).isFalse();
        Step step = run.startStep();
        Span span = step.span("search");
        Evaluation judge = step.startEvaluation("judge");
        try (Scope ofRun = run.makeCurrent()) {
            assertThat(Activity.current()).isSameAs(run);
            try (Scope ofStep = step.makeCurrent()) {
                assertThat(Activity.current()).isSameAs(step);
                assertThat(Activity.current().isRecording()).isTrue();
                try (Scope ofSpan = span.makeCurrent();
                        Scope ofJudge = judge.makeCurrent()) {
                    assertThat(Activity.current()).isSameAs(judge);
                }
                assertThat(Activity.current()).isSameAs(step);
            }
            assertThat(Activity.current()).isSameAs(run);
        }
        assertThat(Activity.current().isRecording()).isFalse();
    }

    @Test
    void callsOfWhatIsCurrent_lieInIt() {
        callTool("nowhere");
        try (Scope ofRun = run.makeCurrent()) {
            callTool("of run");
            Activity.current().startModelCall("p", "m").close();
            try (Step step = run.startStep();
                    Scope ofStep = step.makeCurrent()) {
                callTool("of step");
                try (Span span = step.span("search");
                        Scope ofSpan = span.makeCurrent()) {
                    callTool("of span");
                }
                try (Evaluation judge = step.startEvaluation("judge");
                        Scope ofJudge = judge.makeCurrent()) {
                    callTool("of judge");
                }
            }
        }

        assertThat(call("of run").step()).isEqualTo(RunEvent.NO_STEP);
        assertThat(call("of run").parentSeq()).isZero();
        assertThat(sink.only(ModelCalled.class).step()).isEqualTo(RunEvent.NO_STEP);
        assertThat(call("of step").step()).isEqualTo(1);
        assertThat(call("of step").parentSeq()).isZero();
        assertThat(call("of span").parentSeq())
                .isEqualTo(sink.only(SpanRecorded.class).seq());
        assertThat(call("of judge").parentSeq())
                .isEqualTo(sink.only(RewardGiven.class).seq());
        assertThat(sink.events(ToolCalled.class)).hasSize(4);
    }

    @Test
    void currentOfARunThatNobodyHears_recordsNothing() {
        try (Sinks silent = Sinks.builder().build();
                Run unheard = silent.startRun(RunSpec.builder("env").build());
                Scope scope = unheard.makeCurrent()) {
            unheard.startToolCall("tool").close();
            unheard.startModelCall("p", "m").close();
            assertThat(unheard.isRecording()).isFalse();
            assertThat(Activity.current().isRecording()).isFalse();
            assertThat(Activity.current().traceContext()).isEmpty();
        }
    }

    @Test
    void current_isHandedOnByWrappedTasks() throws Exception {
        Step step = run.startStep();
        try (Scope scope = step.makeCurrent()) {
            Thread thread = new Thread(Scope.wrap(() -> callTool("on a thread")));
            thread.start();
            thread.join();
        }
        assertThat(call("on a thread").step()).isEqualTo(1);
    }
}
