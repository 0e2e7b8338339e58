package dev.rlm.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.CustomMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.ToolArgumentsException;
import dev.langchain4j.exception.ToolExecutionException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.langchain4j.service.tool.ToolProvider;
import dev.langchain4j.service.tool.ToolProviderResult;
import dev.langchain4j.service.tool.ToolService;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.traced.ChatShape;
import dev.rlm.sinks.traced.ToolShape;
import dev.rlm.sinks.traced.Traced;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Wrappers of LangChain4j's models and tools, which record each call where it is made: in what is {@linkplain dev.rlm.sinks.Activity#current
 * current}. Services of {@code AiServices} need none for their models, and only those for their tools whose times are to be exact: see
 * {@link RecordedServices}. What the agent sees is what it saw before.
 */
public final class TracedLangChain4j {
    private static final ChatShape<ChatRequest, ChatResponse> CHAT = ChatShape.<ChatRequest, ChatResponse>of(
                    ChatRequest.class, ChatResponse.class, TracedLangChain4j::request, TracedLangChain4j::reply)
            .model(ChatRequest::modelName);

    /** Requests that a wrapped tool has recorded, until the service tells of them. */
    private static final Set<ToolExecutionRequest> RECORDED =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private static final ToolShape<ToolExecutionRequest, ToolExecutionResult> TOOL =
            ToolShape.<ToolExecutionRequest, ToolExecutionResult>of(
                            ToolExecutionRequest.class,
                            ToolExecutionResult.class,
                            (request, call) -> {
                                RECORDED.add(request);
                                call.callId(request.id()).arguments(request.arguments());
                            },
                            (result, call) -> {
                                String text = text(result.resultContents());
                                call.result(text);
                                if (result.isError()) {
                                    call.fail(RunStatus.INTERNAL, text);
                                }
                            })
                    .failure(error -> error instanceof ToolExecutionException || error instanceof ToolArgumentsException
                            ? error.getCause()
                            : null);

    private TracedLangChain4j() {}

    /** Returns whether a wrapped tool has recorded that; once. */
    static boolean hasRecorded(ToolExecutionRequest request) {
        return RECORDED.remove(request);
    }

    /** Returns the same model, whose calls are recorded. */
    public static ChatModel chat(String provider, ChatModel model) {
        String name = model.defaultRequestParameters().modelName();
        return unlessAsked(ChatModel.class, model, Traced.chat(provider, orEmpty(name), ChatModel.class, model, CHAT));
    }

    /** Returns the same model, whose streamed calls are recorded. */
    public static StreamingChatModel streaming(String provider, StreamingChatModel model) {
        String name = model.defaultRequestParameters().modelName();
        return unlessAsked(
                StreamingChatModel.class,
                model,
                Traced.chat(provider, orEmpty(name), StreamingChatModel.class, model, CHAT));
    }

    /** Returns what is traced, but for requests that a service records. */
    private static <M> M unlessAsked(Class<M> type, M model, M traced) {
        return standin(type, (method, arguments) -> {
            ModelCall asked = arguments.length > 0 && arguments[0] instanceof ChatRequest request
                    ? ServiceCall.takeAsked(request)
                    : null;
            if (asked != null && arguments.length > 1 && arguments[1] instanceof StreamingChatResponseHandler handler) {
                arguments[1] = standin(StreamingChatResponseHandler.class, (told, pieces) -> {
                    if (told.getName().startsWith("onPartial")) {
                        asked.firstToken();
                    }
                    return told.invoke(handler, pieces);
                });
            }
            return method.invoke(asked == null ? traced : model, arguments);
        });
    }

    private static <T> T standin(Class<T> type, Invocation invocation) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return invocation.of(method, arguments == null ? new Object[0] : arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private interface Invocation {
        Object of(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    /** Returns the object's methods that are annotated as tools, for {@code AiServices.tools}. */
    public static List<AiServiceTool> tools(Object objectWithTools) {
        return traced(ToolService.findTools(objectWithTools), TOOL);
    }

    /** Returns the tools of MCP servers, such as those of a {@code McpToolProvider}. */
    public static ToolProvider mcp(ToolProvider provider) {
        return request -> {
            ToolProviderResult tools = provider.provideTools(request);
            return ToolProviderResult.builder()
                    .addAll(traced(tools.aiServiceTools(), TOOL.mcp()))
                    .build();
        };
    }

    private static List<AiServiceTool> traced(List<AiServiceTool> tools, ToolShape<?, ?> shape) {
        return tools.stream()
                .map(tool -> tool.toBuilder()
                        .toolExecutor(Traced.tool(tool.name(), ToolExecutor.class, tool.toolExecutor(), shape))
                        .build())
                .toList();
    }

    static void request(ChatRequest request, ModelCall call) {
        for (ChatMessage message : request.messages()) {
            if (message instanceof SystemMessage system) {
                call.message("system", system.text());
            } else if (message instanceof UserMessage user) {
                call.message("user", text(user.contents()));
            } else if (message instanceof AiMessage assistant) {
                call.message("assistant", orEmpty(assistant.text()));
                assistant
                        .toolExecutionRequests()
                        .forEach(tool -> call.shownToolRequest(tool.id(), tool.name(), tool.arguments()));
            } else if (message instanceof ToolExecutionResultMessage result) {
                call.toolMessage(result.id(), text(result.contents()));
            } else if (message instanceof CustomMessage custom) {
                call.message("user", custom.attributes().toString());
            }
        }
    }

    static void reply(ChatResponse response, ModelCall call) {
        AiMessage said = response.aiMessage();
        String thought = orEmpty(said.thinking());
        call.reply((thought.isEmpty() ? "" : "<think>\n" + thought + "\n</think>\n\n") + orEmpty(said.text()));
        said.toolExecutionRequests().forEach(tool -> call.toolRequest(tool.id(), tool.name(), tool.arguments()));
        call.response(response.id(), response.modelName());
        TokenUsage usage = response.tokenUsage();
        if (usage != null) {
            call.usage(new Usage(count(usage.inputTokenCount()), count(usage.outputTokenCount()), null, null));
        }
        FinishReason reason = response.finishReason();
        if (reason != null) {
            call.finishReason(
                    reason == FinishReason.TOOL_EXECUTION
                            ? "tool_calls"
                            : reason.name().toLowerCase(Locale.ROOT));
        }
    }

    static String text(List<Content> parts) {
        return parts.stream()
                .map(part -> part instanceof TextContent text
                        ? text.text()
                        : "[" + part.type().name().toLowerCase(Locale.ROOT) + "]")
                .collect(Collectors.joining("\n"));
    }

    static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static @Nullable Long count(@Nullable Integer tokens) {
        return tokens == null ? null : tokens.longValue();
    }
}
