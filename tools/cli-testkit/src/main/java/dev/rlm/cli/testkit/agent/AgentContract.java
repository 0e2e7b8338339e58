package dev.rlm.cli.testkit.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.testkit.InMemorySink;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import dev.rlm.sinks.traced.AgentRuns;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The record of an agent, on any framework: of one that adds and divides, and of one that asks it. */
@Timeout(120)
public abstract class AgentContract {
    protected static final String QUESTION = "What is 1 + 2, and 1 / 0?";
    protected static final String SECRET = "hunter2-secret";
    private static final String ANSWER = "It is 3, and nothing.";
    private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private final InMemorySink events = new InMemorySink();
    private final Sinks sinks = Sinks.builder().add("events", events).build();

    @SuppressWarnings("NullAway.Init") // set before each test
    protected ChatServer server;

    @BeforeEach
    protected void start() throws IOException {
        server = ChatServer.start();
        sinks.registerSecret(SECRET);
    }

    @AfterEach
    protected void stop() throws IOException {
        sinks.close();
        server.close();
    }

    /** Has an agent named {@code calculator} with the tools {@code add} and {@code divide} answer. */
    protected abstract String answer(AgentRuns runs, String question) throws Exception;

    /** The same with a streamed reply. */
    protected abstract String stream(AgentRuns runs, String question) throws Exception;

    /** Has an agent answer whose only tool {@code calculator} is the other one. */
    protected abstract String delegate(AgentRuns runs, String question) throws Exception;

    private void script() {
        server.answer(ChatAnswer.text("Let me see.")
                .tool("call_a", "add", "{\"a\": 1, \"b\": 2}")
                .tool("call_b", "divide", "{\"a\": 1, \"b\": 0}")
                .usage(20, 10)
                .pieces(3));
        server.answer(ChatAnswer.text(ANSWER).usage(40, 7).pieces(4));
    }

    private <E extends Event> List<E> all(Class<E> type) {
        sinks.close();
        return events.events(type);
    }

    private void assertCalculated(String question) {
        assertThat(all(RunStarted.class)).singleElement().satisfies(start -> {
            assertThat(start.run().environment()).isEqualTo("calculator");
            assertThat(start.run().task().text()).isEqualTo(question);
        });
        assertThat(all(ModelCalled.class)).extracting(ModelCalled::step).containsExactly(1, 2);
        assertThat(all(ModelCalled.class)).extracting(ModelCalled::model).containsOnly("gpt-4o-mini");
        assertThat(all(ModelCalled.class)).extracting(ModelCalled::provider).containsOnly("openai");
        assertThat(all(ModelCalled.class))
                .extracting(
                        call -> call.usage().inputTokens(), call -> call.usage().outputTokens())
                .containsExactly(tuple(20L, 10L), tuple(40L, 7L));
        assertThat(all(ModelCalled.class).get(1).messages())
                .extracting(message -> message.role())
                .endsWith("user", "assistant", "tool", "tool");
        assertThat(all(ToolCalled.class))
                .extracting(ToolCalled::tool, ToolCalled::step, ToolCalled::failed)
                .containsExactly(tuple("add", 1, false), tuple("divide", 1, true));
        assertThat(all(ToolCalled.class).get(0).result().text()).isEqualTo("3");
        assertThat(all(ToolCalled.class).get(1).error()).hasToString("java.lang.ArithmeticException: / by zero");
        assertThat(all(ToolCalled.class).get(0).arguments().text().replace(" ", ""))
                .isEqualTo("{\"a\":1,\"b\":2}");
        assertThat(all(StepEnded.class)).extracting(StepEnded::actionType).containsExactly("add", "message");
        StepEnded first = all(StepEnded.class).get(0);
        assertThat(first.code().text().replace(" ", ""))
                .isEqualTo("Letmesee.\nadd({\"a\":1,\"b\":2})\ndivide({\"a\":1,\"b\":0})");
        assertThat(first.output().text()).startsWith("3\n");
        assertThat(all(StepEnded.class).get(1).code().text()).isEqualTo(ANSWER);
        assertThat(all(RunEnded.class)).singleElement().satisfies(end -> {
            assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(String.valueOf(end.finalAnswer())).contains(ANSWER);
        });
    }

    @Test
    protected void agentWithTools_isARun_andEachTurnAStep() throws Exception {
        script();
        assertThat(answer(AgentRuns.in(sinks), QUESTION)).isEqualTo(ANSWER);
        assertCalculated(QUESTION);
    }

    @Test
    protected void streamedAgent_isTheSameRun() throws Exception {
        script();
        assertThat(stream(AgentRuns.in(sinks), QUESTION)).isEqualTo(ANSWER);
        await().until(() -> !events.events(RunEnded.class).isEmpty()); // a moment after its last piece
        assertCalculated(QUESTION);
    }

    @Test
    protected void agentThatAToolAsks_isASpanInItsTurn() throws Exception {
        server.answer(ChatAnswer.text("").tool("call_c", "calculator", "{\"question\": \"What is 1 + 2?\"}"));
        script();
        server.answer(ChatAnswer.text("Three."));
        assertThat(delegate(AgentRuns.in(sinks), QUESTION)).isEqualTo("Three.");
        assertThat(all(RunStarted.class)).hasSize(1);
        assertThat(all(StepEnded.class)).extracting(StepEnded::actionType).containsExactly("calculator", "message");
        assertThat(all(ModelCalled.class)).extracting(ModelCalled::step).containsExactly(1, 1, 1, 2);
        assertThat(all(SpanRecorded.class)).extracting(SpanRecorded::name).containsExactly("calculator");
        assertThat(all(ToolCalled.class))
                .extracting(ToolCalled::tool)
                .containsExactlyInAnyOrder("add", "divide", "calculator");
    }

    @Test
    protected void modelThatRefuses_failsTheRun() {
        server.answers(request -> ChatAnswer.refusal(400, "no such model"));
        assertThatThrownBy(() -> answer(AgentRuns.in(sinks), QUESTION)).isNotNull();
        assertThat(all(RunEnded.class)).singleElement().satisfies(end -> {
            assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(end.errorType()).endsWith("Exception");
            assertThat(String.valueOf(end.error())).contains("no such model");
            assertThat(all(StepEnded.class))
                    .singleElement()
                    .satisfies(step -> assertThat(String.valueOf(step.error()))
                            .startsWith(end.errorType() + ": ")
                            .contains("no such model"));
        });
        assertThat(all(ModelCalled.class))
                .singleElement()
                .satisfies(call -> assertThat(String.valueOf(call.error())).contains("no such model"));
    }

    @Test
    protected void agentThatIsInterrupted_isAborted() {
        AtomicReference<Thread> agent = new AtomicReference<>(Thread.currentThread());
        server.answers(request -> {
            Thread interrupted = agent.getAndSet(null); // once: a client may ask again
            if (interrupted != null) {
                interrupted.interrupt(); // which some clients see at once, and some when the answer is there
            }
            return ChatAnswer.refusal(400, "too late");
        });
        try {
            assertThatThrownBy(() -> answer(AgentRuns.in(sinks), QUESTION)).isNotNull();
        } finally {
            Thread.interrupted(); // else closing would be
        }
        assertThat(all(RunEnded.class)).extracting(RunEnded::outcome).containsExactly(Outcome.ABORTED);
        assertThat(all(StepEnded.class)).extracting(StepEnded::errorType).containsExactly(StepEnded.ABORTED);
    }

    @Test
    protected void agentWithinARun_hasItsTurnsThere_andWithinAStepASpan() throws Exception {
        script();
        script();
        try (Run run = sinks.startRun(RunSpec.builder("own").build())) {
            try (Scope scope = run.makeCurrent()) {
                answer(AgentRuns.in(sinks), QUESTION);
            }
            try (Step step = run.startStep();
                    Scope scope = step.makeCurrent()) {
                answer(AgentRuns.in(sinks), QUESTION);
                step.complete("");
            }
            run.complete("");
        }
        assertThat(all(RunStarted.class)).hasSize(1);
        assertThat(all(StepEnded.class)).extracting(StepEnded::step).containsExactly(1, 2, 3);
        assertThat(all(ModelCalled.class)).extracting(ModelCalled::step).containsExactly(1, 2, 3, 3);
        assertThat(all(SpanRecorded.class)).extracting(SpanRecorded::name).containsExactly("calculator");
    }

    @Test
    protected void callsAreSampled_asWholes_andSecretsAreRedacted_andTheCallersTraceIsTheParent() throws Exception {
        server.answer(ChatAnswer.text("").tool("call_c", "calculator", "{\"question\": \"What is 1 + 2?\"}"));
        script();
        server.answer(ChatAnswer.text("Three."));
        assertThat(delegate(AgentRuns.in(sinks).share(0), QUESTION)).isEqualTo("Three.");
        script();
        AgentRuns runs = AgentRuns.in(sinks).parent(() -> new TraceContext(TRACE, null, null));
        assertThat(answer(runs, QUESTION + " " + SECRET)).isEqualTo(ANSWER);
        assertThat(all(RunStarted.class))
                .singleElement()
                .satisfies(start ->
                        assertThat(String.valueOf(start.run().parent())).contains(TRACE));
        assertThat(all(RunEvent.class))
                .isNotEmpty()
                .noneMatch(event -> event.toString().contains(SECRET));
        assertThat(all(RunStarted.class).get(0).run().task().text()).doesNotContain(SECRET);
    }
}
