package dev.rlm.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.model.ModelProvider;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.observability.api.event.AiServiceStartedEvent;
import dev.langchain4j.service.Result;
import dev.langchain4j.service.TokenStream;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.traced.AgentCall;
import dev.rlm.sinks.traced.AgentRuns;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A call of a service that is going on. Its events come one after the other, on any thread. */
final class ServiceCall {
    private static final Object NO_CONVERSATION = "default"; // the memory of services that have none for each user

    /** The request that a service has just made on this thread, until a model that records its calls is given it. */
    private static final ThreadLocal<@Nullable Asked> ASKED = new ThreadLocal<>();

    private final AgentCall call;
    private final InvocationContext context;
    private final boolean asynchronous;
    private final List<UsedTool> used = new ArrayList<>();
    private @Nullable ModelCall asked;
    private @Nullable Scope scope; // of the thread that is at work; where it is another, the end does nothing

    /** Begins it; on this thread it is current where the service returns no more than its answer. */
    ServiceCall(AgentRuns runs, AiServiceStartedEvent event) {
        context = event.invocationContext();
        String agent = context.interfaceName().replaceFirst("^.*[.$]", "");
        call = runs.start(agent, TracedLangChain4j.text(event.userMessage().contents()), spec -> {
            spec.model(
                    TracedLangChain4j.orEmpty(context.defaultRequestParameters().modelName()));
            if (!NO_CONVERSATION.equals(context.chatMemoryId())) {
                spec.correlation(
                        Correlation.NONE.withRollout(context.chatMemoryId().toString()));
            }
        });
        asynchronous = isAsynchronous(context);
        if (!asynchronous) {
            open();
        }
    }

    /** Returns whether the service's method may return before it has its answer. */
    private static boolean isAsynchronous(InvocationContext context) {
        try {
            Class<?> type = Class.forName(
                    context.interfaceName(), false, Thread.currentThread().getContextClassLoader());
            return Stream.of(type.getMethods())
                    .filter(method -> method.getName().equals(context.methodName()))
                    .map(Method::getReturnType)
                    .anyMatch(result -> result == TokenStream.class
                            || CompletionStage.class.isAssignableFrom(result)
                            || Flow.Publisher.class.isAssignableFrom(result)
                            || Stream.of(result.getInterfaces())
                                    .anyMatch(each -> each.getName().endsWith("Publisher"))
                            || result.getName().endsWith("Publisher"));
        } catch (ClassNotFoundException e) {
            return true; // it is not known
        }
    }

    private void open() {
        scope = call.open();
    }

    private void leave() {
        if (scope != null) {
            scope.close();
            scope = null;
        }
    }

    void asks(ChatRequest request) {
        endTools(request.messages());
        String model =
                request.modelName() == null ? context.defaultRequestParameters().modelName() : request.modelName();
        leave();
        ModelCall begun =
                call.startModelCall(provider(context.modelProvider()), TracedLangChain4j.orEmpty(model), seen(request));
        if (!asynchronous) { // else the reply comes on any thread
            open();
        }
        asked = begun;
        ASKED.set(new Asked(request, begun));
        TracedLangChain4j.request(request, begun);
    }

    /** Returns its name by the GenAI semantic conventions. */
    private static String provider(ModelProvider provider) {
        return switch (provider) {
            case OPEN_AI -> "openai";
            case AMAZON_BEDROCK -> "aws.bedrock";
            case GOOGLE_AI_GEMINI -> "gcp.gemini";
            case GOOGLE_VERTEX_AI_GEMINI -> "gcp.vertex_ai";
            case AZURE_OPEN_AI -> "azure.ai.openai";
            default -> provider.name().toLowerCase(Locale.ROOT);
        };
    }

    /** Returns what stands behind the last that the model has said. */
    private static String seen(ChatRequest request) {
        List<String> seen = new ArrayList<>();
        for (ChatMessage message : request.messages()) {
            if (message instanceof AiMessage) {
                seen.clear();
            } else if (message instanceof UserMessage user) {
                seen.add(TracedLangChain4j.text(user.contents()));
            } else if (message instanceof ToolExecutionResultMessage result) {
                seen.add(TracedLangChain4j.text(result.contents()));
            }
        }
        return String.join("\n", seen);
    }

    /** Returns what a service records of that on this thread, once; {@code null} where it does not. */
    static @Nullable ModelCall takeAsked(ChatRequest request) {
        Asked last = ASKED.get();
        if (last == null || !last.request.messages().equals(request.messages())) {
            return null;
        }
        ASKED.remove();
        return last.call;
    }

    private record Asked(ChatRequest request, ModelCall call) {}

    void answered(ChatResponse response) {
        ASKED.remove();
        ModelCall open = asked;
        asked = null;
        if (open != null) {
            AiMessage said = response.aiMessage();
            TracedLangChain4j.reply(response, open);
            open.close();
            List<ToolExecutionRequest> tools = said.toolExecutionRequests();
            String text = Stream.concat(
                            Stream.of(TracedLangChain4j.orEmpty(said.text())),
                            tools.stream().map(tool -> tool.name() + "(" + tool.arguments() + ")"))
                    .filter(part -> !part.isEmpty())
                    .collect(Collectors.joining("\n"));
            leave();
            open(); // for the tools
            call.said(text, tools.stream().map(ToolExecutionRequest::name).toList());
        }
    }

    void used(ToolExecutionRequest request, List<Content> result) {
        if (TracedLangChain4j.hasRecorded(request)) {
            return;
        }
        ToolCall tool = call.startToolCall(request.name());
        tool.callId(request.id()).arguments(request.arguments()).result(TracedLangChain4j.text(result));
        used.add(new UsedTool(request, result, tool));
    }

    /** Ends the calls of tools, as failed where the model is told so of their results: to listeners that is not told. */
    private void endTools(List<ChatMessage> shown) {
        for (UsedTool tool : used) {
            if (shown.stream().anyMatch(tool::hasFailed)) {
                tool.call.fail(RunStatus.INTERNAL, TracedLangChain4j.text(tool.result));
            }
            tool.call.close();
        }
        used.clear();
    }

    /** A call of a tool whose result the model is about to be shown. */
    private record UsedTool(ToolExecutionRequest request, List<Content> result, ToolCall call) {
        boolean hasFailed(ChatMessage shown) {
            return shown instanceof ToolExecutionResultMessage answer
                    && Boolean.TRUE.equals(answer.isError())
                    && Objects.equals(answer.id(), request.id())
                    && answer.contents().equals(result); // else it was undone after it had gone well
        }
    }

    void completed(Optional<Object> result) {
        endTools(List.of());
        leave();
        call.complete(result.map(ServiceCall::answer).orElse(null));
    }

    private static String answer(Object result) {
        return result instanceof Result<?> wrapped
                ? String.valueOf(wrapped.content())
                : result instanceof ChatResponse response
                        ? TracedLangChain4j.orEmpty(response.aiMessage().text())
                        : String.valueOf(result);
    }

    void failed(Throwable error) {
        ASKED.remove();
        endTools(List.of());
        ModelCall open = asked;
        asked = null;
        if (open != null) {
            open.fail(String.valueOf(error));
            open.close();
        }
        leave();
        call.fail(error);
    }
}
