package dev.rlm.sinks.traced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.testkit.InMemorySink;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
