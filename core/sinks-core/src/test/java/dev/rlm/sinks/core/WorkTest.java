package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work that a hub records: what becomes of it when it returns and when it throws. */
@Timeout(60)
class WorkTest {
    private static final RunSpec SPEC = RunSpec.builder("env").build();

    private final Recorder sink = new Recorder();
    private final Sinks sinks = Sinks.builder().add("recorder", sink).build();

    @AfterEach
    void close() {
        sinks.close();
    }

    @Test
    void workThatReturns_isComplete() {
        String result = sinks.call(SPEC, run -> {
            run.step("seen", step -> step.action("look", "around"));
            return run.callStep("more", step -> "found");
        });

        assertThat(result).isEqualTo("found");
        assertThat(told(StepEnded.class)).hasSize(2).allMatch(StepEnded::success);
        assertThat(end().outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void whatIsThrown_failsRunAndStep_andIsThrownOn() {
        IOException thrown = new IOException("no room");
        assertThatThrownBy(() -> sinks.run(SPEC, run -> {
                    run.reward(1.0);
                    run.step("", step -> {
                        throw thrown;
                    });
                }))
                .isSameAs(thrown);

        StepEnded step = only(StepEnded.class);
        assertThat(step.success()).isFalse();
        assertThat(step.errorType()).isEqualTo(IOException.class.getName());
        assertThat(text(step.error())).isEqualTo("java.io.IOException: no room");
        RunEnded end = end();
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.errorType()).isEqualTo(IOException.class.getName());
        assertThat(end.status()).isEqualTo(RunStatus.of(RunStatus.INTERNAL, "no room"));
    }

    @Test
    void whatIsGivenUp_isAborted() {
        assertThatThrownBy(() -> sinks.run(
                        SPEC,
                        run -> run.step("", step -> {
                            throw new InterruptedException("enough");
                        })))
                .isInstanceOf(InterruptedException.class);

        assertThat(only(StepEnded.class).errorType()).isEqualTo(StepEnded.ABORTED);
        assertThat(end().outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(end().status().message()).isEqualTo("java.lang.InterruptedException: enough");
    }

    @Test
    void endThatTheWorkGave_stays() {
        sinks.run(SPEC, run -> {
            run.step("", step -> step.fail("the shelf is empty"));
            run.truncate("max_steps", "nothing");
        });
        assertThatThrownBy(() -> sinks.run(SPEC, run -> {
                    run.complete("12");
                    throw new IllegalStateException("after the end");
                }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(only(StepEnded.class).success()).isFalse();
        assertThat(told(RunEnded.class)).extracting(RunEnded::outcome).containsOnly(Outcome.COMPLETED);
        assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
    }

    @Test
    void handle_isCurrentMeanwhile() {
        sinks.run(SPEC, run -> {
            assertThat(Activity.current()).isSameAs(run);
            run.step("", step -> assertThat(Activity.current()).isSameAs(step));
        });
        assertThat(Activity.current().isRecording()).isFalse();
    }

    @Test
    void hubWithoutSinks_doesTheWork() throws IOException {
        try (Sinks none = Sinks.builder().build()) {
            String result = none.<String, IOException>call(SPEC, run -> run.callStep("", step -> "done"));
            assertThat(result).isEqualTo("done");
        }
    }

    @Test
    void callsAndSpans_tellWhatWasThrown() {
        try (Run run = sinks.startRun(SPEC)) {
            try (ToolCall tool = run.startToolCall("search");
                    ModelCall model = run.startModelCall("p", "m");
                    Span span = run.span("work")) {
                TimeoutException late = new TimeoutException("10 s");
                tool.fail(new ExecutionException(late));
                model.fail(late);
                span.fail(late);
            }
            try (ToolCall tool = run.startToolCall("worse")) {
                tool.fail(new UnspeakableException());
            }
        }
        String told = TimeoutException.class.getName() + ": 10 s";
        assertThat(told(ToolCalled.class))
                .extracting(call -> text(call.error()), ToolCalled::statusCode)
                .containsExactly(
                        tuple(told, RunStatus.DEADLINE_EXCEEDED),
                        tuple(UnspeakableException.class.getName(), RunStatus.INTERNAL));
        assertThat(text(only(ModelCalled.class).error())).isEqualTo(told);
        assertThat(text(only(SpanRecorded.class).error())).isEqualTo(told);
    }

    @Test
    void codes_areThoseOfWhatWasThrown() {
        assertThat(RunStatus.codeOf(new CancellationException())).isEqualTo(RunStatus.CANCELLED);
        assertThat(RunStatus.codeOf(new ExecutionException(new InterruptedException())))
                .isEqualTo(RunStatus.CANCELLED);
        assertThat(RunStatus.codeOf(new NumberFormatException())).isEqualTo(RunStatus.INVALID_ARGUMENT);
        assertThat(RunStatus.codeOf(new StackOverflowError())).isEqualTo(RunStatus.INTERNAL);
    }

    private RunEnded end() {
        return only(RunEnded.class);
    }

    private <E extends Event> E only(Class<E> kind) {
        List<E> told = told(kind);
        assertThat(told).hasSize(1);
        return told.get(0);
    }

    private <E extends Event> List<E> told(Class<E> kind) {
        sinks.close();
        return sink.events(kind);
    }

    private static String text(@Nullable Content content) {
        return Objects.requireNonNull(content).text();
    }

    @SuppressWarnings("OverrideThrowableToString") // which is the fault
    private static final class UnspeakableException extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new IllegalStateException("no words");
        }
    }
}
