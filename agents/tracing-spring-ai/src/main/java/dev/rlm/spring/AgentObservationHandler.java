package dev.rlm.spring;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.traced.AgentCall;
import dev.rlm.sinks.traced.AgentRuns;
import dev.rlm.sinks.traced.Guard;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.observation.ChatClientObservationContext;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.observation.ChatModelObservationContext;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.tool.execution.ToolExecutionExceptionProcessor;
import org.springframework.ai.tool.observation.ToolCallingObservationContext;

/**
 * Records what Spring AI observes, contents included: a call of a {@code ChatClient} is a run, unless something is current, each call of
 * its model a step, and in it the calls of tools. Calls find where they belong by the parents of their observations, and so on Reactor's
 * threads too. The id of a conversation ({@link ChatMemory#CONVERSATION_ID}) is the run's rollout.
 *
 * <p>A model that is called without a {@code ChatClient} is recorded in what is current. Safe for use by several threads; it throws nothing.
 */
public final class AgentObservationHandler implements ObservationHandler<Observation.Context> {
    /** The tool that is called on the thread. */
    private static final ThreadLocal<@Nullable CalledTool> CALLED = new ThreadLocal<>();

    private final AgentRuns runs;
    private final String agent;

    /**
     * Records in those runs.
     *
     * @param agent the name of a run's agent and environment, such as the application's
     */
    public AgentObservationHandler(AgentRuns runs, String agent) {
        this.runs = runs;
        this.agent = agent;
    }

    /** Returns the same processor of what tools throw, which tells the record that a tool has failed: observations do not. */
    public static ToolExecutionExceptionProcessor failures(ToolExecutionExceptionProcessor processor) {
        return thrown -> {
            CalledTool called = CALLED.get();
            if (called != null) {
                fail(called.call, thrown);
            }
            return processor.process(thrown);
        };
    }

    private static void fail(ToolCall call, Throwable thrown) {
        guarded(() -> call.fail(Objects.requireNonNullElse(TracedSpringAi.thrownByTool(thrown), thrown)));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ChatClientObservationContext
                || context instanceof ChatModelObservationContext
                || context instanceof ToolCallingObservationContext;
    }

    @Override
    public void onStart(Observation.Context context) {
        guarded(() -> {
            if (context instanceof ChatClientObservationContext begun) {
                start(begun);
                return;
            }
            Client client = clientOf(context);
            if (client != null) {
                context.put(Client.class, client);
            }
            if (context instanceof ChatModelObservationContext model) {
                asks(client, model);
            } else if (context instanceof ToolCallingObservationContext tool) {
                uses(client, tool);
            }
        });
    }

    private void start(ChatClientObservationContext client) {
        Prompt prompt = client.getRequest().prompt();
        Object conversation = client.getRequest().context().get(ChatMemory.CONVERSATION_ID);
        Client outer = clientOf(client);
        AgentCall call = outer == null
                ? runs.start(agent, seen(prompt), spec -> complete(spec, prompt, conversation))
                : outer.call.startAgent(agent);
        client.put(Client.class, new Client(call));
    }

    private static void complete(RunSpec.Builder spec, Prompt prompt, @Nullable Object conversation) {
        spec.model(model(prompt));
        if (conversation != null) {
            spec.correlation(Correlation.NONE.withRollout(conversation.toString()));
        }
    }

    /** Returns the client that the observation lies in. */
    private static @Nullable Client clientOf(Observation.ContextView context) {
        ObservationView parent = context.getParentObservation();
        while (parent != null) {
            Client client = parent.getContextView().get(Client.class);
            if (client != null) {
                return client;
            }
            parent = parent.getContextView().getParentObservation();
        }
        return null;
    }

    private static String model(Prompt prompt) {
        String model = prompt.getOptions() == null ? null : prompt.getOptions().getModel();
        return model == null ? "" : model;
    }

    /** Records in the call of an agent, or in what is current where the model is called without one. */
    private static void asks(@Nullable Client client, ChatModelObservationContext model) {
        Prompt prompt = model.getRequest();
        String provider = model.getOperationMetadata().provider();
        ModelCall asked = client == null
                ? Activity.current().startModelCall(provider, model(prompt))
                : client.begin(model, prompt).startModelCall(provider, model(prompt), seen(prompt));
        TracedSpringAi.request(prompt, asked);
        model.put(ModelCall.class, asked);
    }

    private static void uses(@Nullable Client client, ToolCallingObservationContext tool) {
        String name = tool.getToolDefinition().name();
        ToolCall used = client == null ? Activity.current().startToolCall(name) : client.call.startToolCall(name);
        used.callId(tool.getToolCallId()).arguments(String.valueOf(tool.getToolCallArguments()));
        tool.put(ToolCall.class, used);
    }

    /** Returns what stands behind the last that the model has said. */
    private static String seen(Prompt prompt) {
        List<String> seen = new ArrayList<>();
        for (Message message : prompt.getInstructions()) {
            if (message instanceof AssistantMessage) {
                seen.clear();
            } else if (message instanceof ToolResponseMessage answers) {
                answers.getResponses().forEach(answer -> seen.add(answer.responseData()));
            } else if (message instanceof UserMessage) {
                seen.add(TracedSpringAi.text(message));
            }
        }
        return String.join("\n", seen);
    }

    @Override
    public void onScopeOpened(Observation.Context context) {
        guarded(() -> {
            Client client = context.get(Client.class);
            if (context instanceof ToolCallingObservationContext) {
                CALLED.set(new CalledTool(context.getOrDefault(ToolCall.class, ToolCall.NOOP), CALLED.get()));
            }
            if (client != null) {
                Deque<Scope> open = context.computeIfAbsent(Scope.class, key -> new ArrayDeque<Scope>());
                synchronized (open) {
                    open.push(client.call.open());
                }
            }
        });
    }

    @Override
    public void onScopeClosed(Observation.Context context) {
        guarded(() -> {
            if (context instanceof ToolCallingObservationContext) {
                CalledTool called = CALLED.get();
                if (called == null || called.outer == null) {
                    CALLED.remove();
                } else {
                    CALLED.set(called.outer);
                }
            }
            Deque<Scope> open = context.get(Scope.class);
            if (open != null) {
                synchronized (open) {
                    open.forEach(Scope::close); // of this thread: others do nothing
                }
            }
        });
    }

    @Override
    public void onStop(Observation.Context context) {
        guarded(() -> {
            Client client = context.get(Client.class);
            if (client != null && context instanceof ChatClientObservationContext ended) {
                client.end(() -> stop(client.call, ended));
            } else if (context instanceof ChatModelObservationContext model) {
                answered(client, model);
            } else if (context instanceof ToolCallingObservationContext tool) {
                gave(tool);
            }
        });
    }

    private static void stop(AgentCall call, ChatClientObservationContext client) {
        ChatClientResponse response = client.getResponse();
        if (client.getError() != null) {
            call.fail(client.getError());
        } else if (response == null) {
            call.abort("its stream was cancelled");
        } else {
            ChatResponse chat = response.chatResponse();
            call.complete(
                    chat == null || chat.getResult() == null
                            ? null
                            : chat.getResult().getOutput().getText());
        }
    }

    private static void answered(@Nullable Client client, ChatModelObservationContext model) {
        try (ModelCall asked = model.getOrDefault(ModelCall.class, ModelCall.NOOP)) {
            ChatResponse response = model.getResponse();
            if (response != null) {
                TracedSpringAi.reply(response, asked);
                if (client != null && client.isLast(model) && response.getResult() != null) {
                    said(client.call, response.getResult().getOutput());
                }
            }
            if (model.getError() != null) {
                asked.fail(String.valueOf(model.getError()));
            }
        }
        if (client != null) {
            client.ended();
        }
    }

    private static void said(AgentCall call, AssistantMessage said) {
        List<AssistantMessage.ToolCall> tools = said.getToolCalls();
        String text = Stream.concat(
                        Stream.of(TracedSpringAi.text(said)),
                        tools.stream().map(tool -> tool.name() + "(" + tool.arguments() + ")"))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("\n"));
        call.said(text, tools.stream().map(AssistantMessage.ToolCall::name).toList());
    }

    private static void gave(ToolCallingObservationContext tool) {
        try (ToolCall call = tool.getOrDefault(ToolCall.class, ToolCall.NOOP)) {
            if (tool.getToolCallResult() != null) {
                call.result(tool.getToolCallResult());
            }
            if (tool.getError() != null) {
                fail(call, tool.getError());
            }
        }
    }

    private static void guarded(Runnable recording) {
        Guard.run("a part of an agent's call", recording);
    }

    /** A tool that is called, in the call of another one where an agent is a tool. */
    private record CalledTool(ToolCall call, @Nullable CalledTool outer) {}

    /**
     * A client that is at work. Of a stream it is told to have stopped before its model is, and of a model that it has answered when the next
     * is asked: it ends with the last of all, and what was said stands in the next prompt.
     */
    private static final class Client {
        private final AgentCall call;
        private int asked; // calls of the model that go on; guarded by this, as the next
        private @Nullable ChatModelObservationContext last;
        private @Nullable Runnable end;

        Client(AgentCall call) {
            this.call = call;
        }

        synchronized AgentCall begin(ChatModelObservationContext model, Prompt prompt) {
            if (asked > 0) {
                prompt.getInstructions().stream()
                        .filter(AssistantMessage.class::isInstance)
                        .reduce((before, last) -> last)
                        .ifPresent(said -> said(call, (AssistantMessage) said));
            }
            asked++;
            last = model;
            return call;
        }

        synchronized boolean isLast(ChatModelObservationContext model) {
            return model.equals(last);
        }

        synchronized void ended() {
            asked--;
            if (asked == 0 && end != null) {
                end.run();
            }
        }

        synchronized void end(Runnable last) {
            if (asked == 0) {
                last.run();
            } else {
                end = last;
            }
        }
    }
}
