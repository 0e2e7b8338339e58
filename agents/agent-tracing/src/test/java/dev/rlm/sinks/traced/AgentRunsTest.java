package dev.rlm.sinks.traced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.InMemorySink;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of agents, as who listens to a framework records them. */
class AgentRunsTest {
    private final InMemorySink events = new InMemorySink();
    private final Sinks sinks = Sinks.builder().add("events", events).build();

    @AfterEach
    void close() {
        System.clearProperty("rlm.agent.share");
        sinks.close();
    }

    @Test
    void turnsAreSteps_andAnAgentWithinATurnIsASpan() {
        AgentRuns runs = AgentRuns.in(sinks);
        AgentCall call = runs.start("shop", "buy milk", spec -> spec.model("large"));
        call.startModelCall("openai", "large", "buy milk").close();
        call.said("search(milk)", List.of("search"));
        try (Scope scope = call.open()) {
            AgentCall inner = runs.start("searcher", "milk", spec -> {});
            inner.startModelCall("openai", "small", "milk").close();
            inner.complete("found");
        }
        call.startModelCall("openai", "large", "found").close();
        call.said("bought", List.of());
        call.complete("bought");
        call.complete("again"); // ends but once
        sinks.close();

        assertThat(events.events(RunStarted.class))
                .singleElement()
                .satisfies(start -> assertThat(start.run().environment()).isEqualTo("shop"));
        assertThat(events.events(StepEnded.class))
                .extracting(StepEnded::actionType, step -> step.output().text())
                .containsExactly(tuple("search", "found"), tuple("message", ""));
        assertThat(events.events(SpanRecorded.class))
                .extracting(SpanRecorded::name)
                .containsExactly("searcher");
        assertThat(events.events(RunEnded.class)).hasSize(1);
    }

    /** What ends a call, and what the run and the turn are then. */
    static Stream<Arguments> ends() {
        String bad = "java.lang.IllegalStateException: no model";
        String late = "java.util.concurrent.TimeoutException: late";
        String stopped = "java.lang.InterruptedException: stopped";
        String cancelled = "java.util.concurrent.CancellationException";
        Throwable interruption = new InterruptedException("stopped");
        return Stream.of(
                arguments(new IllegalStateException("no model"), Outcome.FAILED, RunStatus.INTERNAL, bad),
                arguments(
                        new CompletionException(new TimeoutException("late")),
                        Outcome.FAILED,
                        RunStatus.DEADLINE_EXCEEDED,
                        late),
                arguments(new CancellationException(), Outcome.ABORTED, RunStatus.CANCELLED, cancelled),
                arguments(
                        new IllegalStateException("torn", new RuntimeException(interruption)),
                        Outcome.ABORTED,
                        RunStatus.CANCELLED,
                        stopped));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void callThatThrows_hasFailed_orWasAborted(Throwable error, Outcome outcome, int code, String told) {
        AgentCall call = AgentRuns.in(sinks).start("shop", "buy milk", spec -> {});
        call.startModelCall("openai", "large", "buy milk").close();
        ToolCall tool = call.startToolCall("search");
        tool.fail(error);
        tool.close();
        call.fail(error);
        sinks.close();

        assertThat(events.events(ToolCalled.class)).singleElement().satisfies(used -> {
            assertThat(used.statusCode()).isEqualTo(code);
            assertThat(used.error()).hasToString(told);
        });
        assertThat(events.events(StepEnded.class)).singleElement().satisfies(turn -> {
            assertThat(turn.success()).isFalse();
            assertThat(turn.error()).hasToString(told);
            assertThat(turn.errorType())
                    .isEqualTo(
                            outcome == Outcome.ABORTED
                                    ? StepEnded.ABORTED
                                    : RunStatus.causeOf(error).getClass().getName());
        });
        assertThat(events.events(RunEnded.class)).singleElement().satisfies(end -> {
            assertThat(end.outcome()).isEqualTo(outcome);
            assertThat(end.status().code()).isEqualTo(code);
            assertThat(told).contains(end.status().message());
        });
    }

    @Test
    void whatIsLeftOut_isLeftOutWhole() {
        AgentRuns none = AgentRuns.in(sinks).share(0);
        AgentCall call = none.start("shop", "buy milk", spec -> {});
        try (Scope scope = call.open()) {
            AgentRuns.in(sinks).start("searcher", "milk", spec -> {}).complete("found");
        }
        call.complete("bought");
        sinks.close();
        assertThat(events.events(RunStarted.class)).isEmpty();
        assertThatThrownBy(() -> none.share(1.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1.5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"often", "2", "-1", "NaN"})
    void shareThatIsNone_isRefused(String share) {
        System.setProperty("rlm.agent.share", share);
        assertThatThrownBy(AgentRuns::fromEnvironment)
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_AGENT_SHARE")
                .hasMessageContaining("a number from 0 to 1");
    }
}
