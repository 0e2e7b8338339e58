package dev.rlm.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agentic.Agent;
import dev.langchain4j.agentic.AgenticServices;
import dev.langchain4j.agentic.UntypedAgent;
import dev.langchain4j.agentic.observability.AgentListener;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.observability.api.event.AiServiceEvent;
import dev.langchain4j.observability.api.listener.AiServiceListener;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.TokenStream;
import dev.langchain4j.service.UserMessage;
import dev.langchain4j.service.V;
import dev.rlm.cli.testkit.agent.AgentContract;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.InMemorySink;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.traced.AgentRuns;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Services of LangChain4j, and agents that are made of them. */
class LangChain4jTest extends AgentContract {
    private OpenAiChatModel model() {
        return OpenAiChatModel.builder()
                .baseUrl(server.baseUrl())
                .apiKey("none")
                .modelName("gpt-4o-mini")
                .maxRetries(0)
                .build();
    }

    private calculator calculator(AgentRuns runs) {
        return AiServices.builder(calculator.class)
                .chatModel(model())
                .tools(TracedLangChain4j.tools(new Arithmetic()))
                .registerListeners(RecordedServices.listeners(runs))
                .build();
    }

    @Override
    protected String answer(AgentRuns runs, String question) {
        return calculator(runs).answer(question);
    }

    private StreamingChatModel streamingModel() {
        return OpenAiStreamingChatModel.builder()
                .baseUrl(server.baseUrl())
                .apiKey("none")
                .modelName("gpt-4o-mini")
                .build();
    }

    @Override
    protected String stream(AgentRuns runs, String question) throws Exception {
        return said(
                AiServices.builder(streaming.calculator.class)
                        .streamingChatModel(streamingModel())
                        .tools(TracedLangChain4j.tools(new Arithmetic()))
                        .registerListeners(RecordedServices.listeners(runs))
                        .build(),
                question);
    }

    private static String said(streaming.calculator service, String question) throws Exception {
        CompletableFuture<String> said = new CompletableFuture<>();
        service.answer(question)
                .onPartialResponse(piece -> {})
                .onCompleteResponse(
                        response -> said.complete(response.aiMessage().text()))
                .onError(said::completeExceptionally)
                .start();
        return said.get(60, TimeUnit.SECONDS);
    }

    @Override
    protected String delegate(AgentRuns runs, String question) {
        calculator helper = calculator(runs);
        return AiServices.builder(Assistant.class)
                .chatModel(model())
                .tools(TracedLangChain4j.tools(new Helper(helper)))
                .registerListeners(RecordedServices.listeners(runs))
                .build()
                .answer(question);
    }

    @Test
    void subagentsOfASequence_areStepsOfItsRun() {
        server.answers(request -> ChatAnswer.text("Well."));
        InMemorySink events = new InMemorySink();
        try (Sinks sinks = Sinks.builder().add("events", events).build()) {
            AgentRuns runs = AgentRuns.in(sinks);
            UntypedAgent both = AgenticServices.sequenceBuilder()
                    .name("both")
                    .subAgents(agent(Writer.class), agent(Editor.class))
                    .outputKey("story")
                    .listener(new RecordedAgents(runs))
                    .build();
            assertThat(both.invoke(Map.of("topic", "milk"))).isEqualTo("Well.");
        }
        assertThat(events.events(RunStarted.class)).singleElement().satisfies(start -> {
            assertThat(start.run().environment()).isEqualTo("both");
            assertThat(start.run().task().text()).contains("milk");
        });
        assertThat(events.events(StepEnded.class))
                .extracting(step -> step.code().text())
                .containsExactly("write", "edit");
        assertThat(events.events(ModelCalled.class))
                .extracting(ModelCalled::step)
                .containsExactly(1, 2);
        assertThat(events.events(RunEnded.class))
                .singleElement()
                .satisfies(end -> assertThat(String.valueOf(end.finalAnswer())).contains("Well."));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void toolThatThrows_hasFailed_alsoWithoutAWrapper(boolean streamed) throws Exception {
        server.answer(ChatAnswer.text("")
                .tool("call_a", "add", "{\"a\": 1, \"b\": 2}")
                .tool("call_b", "divide", "{\"a\": 1, \"b\": 0}"));
        server.answer(ChatAnswer.text("Three, and nothing.").pieces(2));
        InMemorySink events = new InMemorySink();
        try (Sinks sinks = Sinks.builder().add("events", events).build()) {
            List<AiServiceListener<?>> listeners = RecordedServices.listeners(AgentRuns.in(sinks));
            if (streamed) {
                said(
                        AiServices.builder(streaming.calculator.class)
                                .streamingChatModel(streamingModel())
                                .tools(new Arithmetic())
                                .registerListeners(listeners)
                                .build(),
                        QUESTION);
                await().until(() -> !events.events(RunEnded.class).isEmpty()); // a moment after its last piece
            } else {
                AiServices.builder(calculator.class)
                        .chatModel(model())
                        .tools(new Arithmetic())
                        .registerListeners(listeners)
                        .build()
                        .answer(QUESTION);
            }
        }
        assertThat(events.events(ToolCalled.class))
                .extracting(
                        ToolCalled::tool,
                        ToolCalled::step,
                        ToolCalled::failed,
                        call -> call.result().text(),
                        call -> String.valueOf(call.error()))
                .containsExactly(
                        tuple("add", 1, false, "3", "null"), tuple("divide", 1, true, "/ by zero", "/ by zero"));
        assertThat(events.events(ModelCalled.class).get(1).messages())
                .extracting(message -> message.content().text())
                .endsWith("3", "/ by zero"); // what the model is shown stays
    }

    @Test
    void subagentThatThrows_endsItsStepAndTheRun_withWhatItHasThrown() {
        assumeTrue(
                Stream.of(AgentListener.class.getMethods())
                        .anyMatch(method -> method.getName().equals("onAgenticSystemSuspended")),
                "langchain4j-agentic tells of the outermost agent's failure from 1.18 on");
        server.answers(request -> ChatAnswer.refusal(400, "no such model"));
        InMemorySink events = new InMemorySink();
        try (Sinks sinks = Sinks.builder().add("events", events).build()) {
            UntypedAgent both = AgenticServices.sequenceBuilder()
                    .name("both")
                    .subAgents(agent(Writer.class), agent(Editor.class))
                    .outputKey("story")
                    .listener(new RecordedAgents(AgentRuns.in(sinks)))
                    .build();
            assertThatThrownBy(() -> both.invoke(Map.of("topic", "milk"))).isNotNull();
        }
        assertThat(events.events(StepEnded.class))
                .singleElement()
                .satisfies(step -> assertThat(String.valueOf(step.error()))
                        .startsWith("dev.langchain4j.exception.")
                        .contains("no such model"));
        assertThat(events.events(RunEnded.class)).singleElement().satisfies(end -> {
            assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(end.errorType()).startsWith("dev.langchain4j.exception.");
        });
    }

    @Test
    void whatFailsInRecording_isNotTheAgents_andItsMessageIsInNoLog() {
        PrintStream usual = System.err;
        PrintStream usualOut = System.out;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        logged.start();
        root.addAppender(logged);
        try (PrintStream told = new PrintStream(log, true, StandardCharsets.UTF_8);
                Sinks sinks = Sinks.builder().build()) {
            System.setErr(told);
            System.setOut(told);
            for (AiServiceListener<?> listener : RecordedServices.listeners(AgentRuns.in(sinks))) {
                assertThatCode(() -> tellUnreadable(listener)).doesNotThrowAnyException();
            }
            for (ILoggingEvent event : logged.list) {
                told.println(event.getFormattedMessage() + ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        } finally {
            root.detachAppender(logged);
            System.setErr(usual);
            System.setOut(usualOut);
        }
        assertThat(log.toString(StandardCharsets.UTF_8))
                .contains("IllegalStateException")
                .doesNotContain(SECRET);
    }

    private static <E extends AiServiceEvent> void tellUnreadable(AiServiceListener<E> listener) {
        Class<E> event = listener.getEventClass();
        listener.onEvent(event.cast(
                Proxy.newProxyInstance(event.getClassLoader(), new Class<?>[] {event}, (self, method, arguments) -> {
                    if (method.getName().equals("eventClass")) {
                        return event;
                    }
                    throw new IllegalStateException(SECRET);
                })));
    }

    private <A> A agent(Class<A> type) {
        return AgenticServices.agentBuilder(type)
                .chatModel(TracedLangChain4j.chat("openai", model()))
                .outputKey("story")
                .build();
    }

    public interface Writer {
        @Agent(name = "write")
        @UserMessage("Write about {{topic}}")
        String write(@V("topic") String topic);
    }

    public interface Editor {
        @Agent(name = "edit")
        @UserMessage("Edit {{story}}")
        String edit(@V("story") String story);
    }

    interface calculator { // whose name is the agent's
        @UserMessage("{{it}}")
        String answer(String question);
    }

    record Helper(calculator agent) {
        @Tool
        String calculator(String question) {
            return agent.answer(question);
        }
    }

    interface Assistant {
        String answer(String question);
    }

    static final class streaming {
        interface calculator {
            TokenStream answer(String question);
        }
    }

    /** Tools that models ask for. */
    static final class Arithmetic {
        @Tool
        int add(int a, int b) {
            return a + b;
        }

        @Tool
        int divide(int a, int b) {
            return a / b;
        }
    }
}
