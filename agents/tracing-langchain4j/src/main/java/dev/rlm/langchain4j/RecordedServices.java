package dev.rlm.langchain4j;

import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.observability.api.AiServiceListenerRegistrar;
import dev.langchain4j.observability.api.DefaultAiServiceListenerRegistrar;
import dev.langchain4j.observability.api.event.AiServiceCompletedEvent;
import dev.langchain4j.observability.api.event.AiServiceErrorEvent;
import dev.langchain4j.observability.api.event.AiServiceEvent;
import dev.langchain4j.observability.api.event.AiServiceRequestIssuedEvent;
import dev.langchain4j.observability.api.event.AiServiceResponseReceivedEvent;
import dev.langchain4j.observability.api.event.AiServiceStartedEvent;
import dev.langchain4j.observability.api.event.ToolExecutedEvent;
import dev.langchain4j.observability.api.listener.AiServiceListener;
import dev.langchain4j.spi.observability.AiServiceListenerRegistrarFactory;
import dev.rlm.sinks.traced.AgentRuns;
import dev.rlm.sinks.traced.Guard;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Services of {@code AiServices}, recorded: a call of one is a run, unless something is current, and each of its turns a step with the
 * model's call and those of the tools that it asks for.
 *
 * <p>Where this module is on the class path, LangChain4j finds it by {@code ServiceLoader}, and all services are recorded in {@link
 * AgentRuns#fromEnvironment}. To record some, or elsewhere: {@code AiServices.builder(…).registerListeners(RecordedServices.listeners(runs))}.
 *
 * <p>What it is told of tools comes after all of a turn have ended, without times, and of one that has failed only the text that the model is
 * shown for it: where times and exceptions matter the tools are wrapped by {@link TracedLangChain4j#tools}, which this then leaves to it.
 */
public final class RecordedServices implements AiServiceListenerRegistrarFactory {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.langchain4j");

    /** For {@code ServiceLoader}. */
    public RecordedServices() {}

    @Override
    public AiServiceListenerRegistrar get() {
        AiServiceListenerRegistrar registrar = new DefaultAiServiceListenerRegistrar();
        try {
            List<AiServiceListener<?>> usual = listeners(AgentRuns.fromEnvironment());
            registrar = new DefaultAiServiceListenerRegistrar() {
                @Override
                public <T extends AiServiceEvent> void register(AiServiceListener<T> listener) {
                    if (listener instanceof Listener && !usual.contains(listener)) {
                        usual.forEach(this::unregister); // the program says where the service is recorded
                    }
                    super.register(listener);
                }
            };
            registrar.register(usual);
        } catch (RuntimeException
                | LinkageError e) { // what is wrong with the configuration is no reason to stop the agent
            LOG.warn("agents are not recorded: {}", e.getMessage());
        }
        return registrar;
    }

    /** Returns the listeners that record services in those runs. */
    public static List<AiServiceListener<?>> listeners(AgentRuns runs) {
        Map<UUID, ServiceCall> calls = new ConcurrentHashMap<>();
        return List.of(
                new Listener<>(
                        AiServiceStartedEvent.class,
                        (event, context) -> calls.put(context.invocationId(), new ServiceCall(runs, event))),
                of(calls, AiServiceRequestIssuedEvent.class, (event, call) -> call.asks(event.request())),
                of(calls, AiServiceResponseReceivedEvent.class, (event, call) -> call.answered(event.response())),
                of(calls, ToolExecutedEvent.class, (event, call) -> call.used(event.request(), event.resultContents())),
                last(calls, AiServiceCompletedEvent.class, (event, call) -> call.completed(event.result())),
                last(calls, AiServiceErrorEvent.class, (event, call) -> call.failed(event.error())));
    }

    private static <E extends AiServiceEvent> Listener<E> of(
            Map<UUID, ServiceCall> calls, Class<E> type, BiConsumer<E, ServiceCall> recording) {
        return new Listener<>(type, (event, context) -> {
            ServiceCall call = calls.get(context.invocationId());
            if (call != null) {
                recording.accept(event, call);
            }
        });
    }

    private static <E extends AiServiceEvent> Listener<E> last(
            Map<UUID, ServiceCall> calls, Class<E> type, BiConsumer<E, ServiceCall> recording) {
        return new Listener<>(type, (event, context) -> {
            ServiceCall call = calls.remove(context.invocationId());
            if (call != null) {
                recording.accept(event, call);
            }
        });
    }

    private record Listener<E extends AiServiceEvent>(
            Class<E> getEventClass, BiConsumer<E, InvocationContext> recording) implements AiServiceListener<E> {
        @Override
        public void onEvent(E event) {
            Guard.run("a part of an agent's call", () -> recording.accept(event, event.invocationContext()));
        }
    }
}
