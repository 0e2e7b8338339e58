package dev.rlm.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rlm.cli.testkit.agent.AgentContract;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
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
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.ToolCallingAdvisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.DefaultToolCallingManager;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.ai.tool.execution.DefaultToolExecutionExceptionProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Clients of Spring AI, by what it observes; and an application of Spring Boot. */
class SpringAiTest extends AgentContract {
    private OpenAiChatModel model(ObservationRegistry registry) {
        return OpenAiChatModel.builder()
                .options(OpenAiChatOptions.builder()
                        .baseUrl(server.baseUrl())
                        .apiKey("none")
                        .model("gpt-4o-mini")
                        .maxRetries(0)
                        .build())
                .observationRegistry(registry)
                .build();
    }

    private static ObservationRegistry registry(AgentObservationHandler handler) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(handler);
        return registry;
    }

    private ChatClient client(AgentObservationHandler handler, Object tools) {
        return client(registry(handler), tools);
    }

    private ChatClient client(ObservationRegistry registry, Object tools) {
        return ChatClient.builder(
                        model(registry),
                        registry,
                        null,
                        null,
                        ToolCallingAdvisor.builder()
                                .toolCallingManager(DefaultToolCallingManager.builder()
                                        .observationRegistry(registry)
                                        .toolExecutionExceptionProcessor(AgentObservationHandler.failures(
                                                DefaultToolExecutionExceptionProcessor.builder()
                                                        .build()))
                                        .build()))
                .defaultTools(tools)
                .build();
    }

    private static AgentObservationHandler handler(AgentRuns runs) {
        return new AgentObservationHandler(runs, "calculator");
    }

    @Override
    protected String answer(AgentRuns runs, String question) {
        return String.valueOf(client(handler(runs), new Arithmetic())
                .prompt(new Prompt(question))
                .call()
                .content());
    }

    @Override
    protected String stream(AgentRuns runs, String question) {
        List<String> pieces = client(handler(runs), new Arithmetic()).prompt(new Prompt(question)).stream()
                .content()
                .collectList()
                .block();
        String said = String.join("", Objects.requireNonNull(pieces));
        return said.replaceFirst("^Let me see\\.", "");
    }

    @Override
    protected String delegate(AgentRuns runs, String question) {
        AgentObservationHandler handler = handler(runs);
        ChatClient helper = client(handler, new Arithmetic());
        return String.valueOf(client(handler, new Helper(helper))
                .prompt(new Prompt(question))
                .call()
                .content());
    }

    @Test
    void streamThatIsCancelled_isAborted() {
        server.answer(ChatAnswer.text("One two three four.").pieces(4));
        InMemorySink events = new InMemorySink();
        try (Sinks sinks = Sinks.builder().add("events", events).build()) {
            client(handler(AgentRuns.in(sinks)), new Arithmetic()).prompt("Count").stream()
                    .content()
                    .blockFirst();
            await().until(() -> !events.events(RunEnded.class).isEmpty()); // before the hub ends it
        }
        assertThat(events.events(RunEnded.class)).extracting(RunEnded::outcome).containsExactly(Outcome.ABORTED);
        assertThat(events.events(StepEnded.class))
                .extracting(StepEnded::errorType)
                .containsExactly(StepEnded.ABORTED);
    }

    @Test
    void toolThatFailsAfterAnAgentInIt_hasFailed() {
        server.answer(ChatAnswer.text("").tool("call_a", "calculator", "{\"question\": \"1 + 2?\"}"));
        server.answer(ChatAnswer.text("").tool("call_b", "add", "{\"a\": 1, \"b\": 2}"));
        server.answer(ChatAnswer.text("Three."));
        server.answer(ChatAnswer.text("Nothing."));
        InMemorySink events = new InMemorySink();
        try (Sinks sinks = Sinks.builder().add("events", events).build()) {
            AgentObservationHandler handler = handler(AgentRuns.in(sinks));
            Helper helper = new Helper(client(handler, new Arithmetic()));
            client(handler, new Unbelieving(helper)).prompt("?").call().content();
        }
        assertThat(events.events(ToolCalled.class))
                .extracting(ToolCalled::tool, ToolCalled::failed, call -> String.valueOf(call.error()))
                .containsExactly(
                        tuple("add", false, "null"),
                        tuple("calculator", true, "java.lang.IllegalArgumentException: not Three."));
    }

    // ---- Spring Boot

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RlmAutoConfiguration.class, AopAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withBean(Service.class)
            .withPropertyValues("spring.application.name=shop");

    @Test
    void application_recordsItsAgents_andTellsHealthAndMeters(@TempDir Path folder) {
        server.answers(request -> ChatAnswer.text("Yes."));
        InMemorySink events = new InMemorySink();
        application
                .withBean(
                        Sinks.class, () -> Sinks.builder().add("events", events).build())
                .run(context -> {
                    ChatClient client = client(context.getBean(AgentObservationHandler.class), new Arithmetic());
                    client.prompt("Is it?")
                            .advisors(advisors -> advisors.param(ChatMemory.CONVERSATION_ID, "conversation-7"))
                            .call()
                            .content();
                    assertThat(context.getBean(Service.class).review("the order", client))
                            .isEqualTo("Yes.Yes.");

                    context.getBean(Sinks.class).flush(java.time.Duration.ofSeconds(20));
                    assertThat(Objects.requireNonNull(context.getBean(HealthIndicator.class)
                                            .health())
                                    .getStatus())
                            .isEqualTo(Status.UP);
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(meters));
                    assertThat(meters.get("rlm.sink.delivered")
                                    .tag("sink", "events")
                                    .functionCounter()
                                    .count())
                            .isPositive()
                            .isEqualTo(meters.get("rlm.sink.offered")
                                    .functionCounter()
                                    .count());
                    assertThat(meters.get("rlm.sink.lost").functionCounter().count())
                            .isZero();
                });
        assertThat(events.events(RunStarted.class))
                .extracting(start -> start.run().environment())
                .containsExactly("shop", "review");
        assertThat(events.events(RunStarted.class).get(0).run().correlation().rollout())
                .isEqualTo("conversation-7");
        assertThat(events.events(RunEnded.class)).extracting(RunEnded::outcome).containsOnly(Outcome.COMPLETED);
        assertThat(events.events(StepEnded.class)).hasSize(3); // a turn, and two of the annotated method
    }

    /** Who brings what Spring AI is observed by. */
    enum Registry {
        NONE,
        THE_APPLICATION,
        SPRING_BOOT
    }

    @ParameterizedTest
    @EnumSource
    void application_isRecordedOnce_whoeverBringsTheRegistry(Registry brought) {
        server.answers(request -> ChatAnswer.text("Yes."));
        InMemorySink events = new InMemorySink();
        ApplicationContextRunner agent = switch (brought) {
            case NONE -> application;
            case THE_APPLICATION -> application.withBean(ObservationRegistry.class, ObservationRegistry::create);
            case SPRING_BOOT ->
                application.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class));
        };
        agent.withBean(Sinks.class, () -> Sinks.builder().add("events", events).build())
                .run(context -> {
                    ObservationRegistry registry = context.getBean(ObservationRegistry.class);
                    client(registry, new Arithmetic()).prompt("Is it?").call().content();
                });
        assertThat(events.events(RunStarted.class))
                .extracting(start -> start.run().environment())
                .containsExactly("shop");
        assertThat(events.events(ModelCalled.class)).hasSize(1);
    }

    @Test
    void applicationWhoseClientsAreNotObserved_isToldSo() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.rlm.spring");
        log.start();
        logger.addAppender(log);
        try {
            application
                    .withBean("one", ObservationRegistry.class, ObservationRegistry::create)
                    .withBean("other", ObservationRegistry.class, ObservationRegistry::create)
                    .run(context -> assertThat(context).hasNotFailed());
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("agents are not recorded", "ObservationRegistry");
    }

    @Test
    void properties_chooseSinksAndShare_andSwitchItOff(@TempDir Path folder) {
        application
                .withPropertyValues(
                        "rlm.jsonl.enabled=true", "rlm.jsonl.dir=" + folder.resolve("journal"), "rlm.agent-share=1")
                .run(context -> {
                    context.getBean(Service.class).plain("x");
                    assertThat(context.getBean(Sinks.class).statuses())
                            .filteredOn(dev.rlm.sinks.SinkStatus::enabled)
                            .extracting(dev.rlm.sinks.SinkStatus::name)
                            .containsExactly("jsonl");
                });
        assertThat(dev.rlm.journal.Journal.open(folder.resolve("journal")).runs())
                .extracting(run -> run.run().environment())
                .containsExactly("plain");
        application
                .withPropertyValues("rlm.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(Sinks.class));
        application
                .withPropertyValues("rlm.agent-share=2")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void modelWithoutAClient_isRecordedInWhatIsCurrent() {
        server.answers(request -> ChatAnswer.text("Yes."));
        InMemorySink events = new InMemorySink();
        try (Sinks sinks = Sinks.builder().add("events", events).build();
                Run run = sinks.startRun(RunSpec.builder("own").build())) {
            OpenAiChatModel model = model(registry(handler(AgentRuns.in(sinks))));
            model.call("Is it?"); // where nothing is
            try (Scope scope = run.makeCurrent()) {
                model.call("Or?");
            }
            run.complete("");
        }
        assertThat(events.events(ModelCalled.class)).singleElement().satisfies(call -> {
            assertThat(call.step()).isZero();
            assertThat(call.messages().stream()
                            .map(message -> message.content().text())
                            .collect(Collectors.joining()))
                    .isEqualTo("Or?");
        });
    }

    /** A bean. */
    static class Service {
        @RecordedRun
        public String review(String order, ChatClient client) {
            return client.prompt(order).call().content()
                    + client.prompt("Again?").call().content();
        }

        @RecordedRun
        public String plain(String text) {
            return text;
        }
    }

    record Helper(ChatClient agent) {
        @Tool
        String calculator(String question) {
            return String.valueOf(agent.prompt(new Prompt(question)).call().content());
        }
    }

    record Unbelieving(Helper helper) {
        @Tool
        String calculator(String question) {
            String said = helper.calculator(question);
            if (said.isEmpty()) {
                return said;
            }
            throw new IllegalArgumentException("not " + said);
        }
    }

    /** What models ask for. */
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
