package dev.rlm.spring;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.traced.ChatClient;
import dev.rlm.sinks.traced.ChatShape;
import dev.rlm.sinks.traced.ToolShape;
import dev.rlm.sinks.traced.Traced;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Flow.Publisher;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.model.MessageAggregator;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.MediaContent;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.execution.ToolExecutionException;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Wrappers of Spring AI's models and tools, which record each call where it is made: in what is {@linkplain dev.rlm.sinks.Activity#current
 * current}. For programs without observations; where {@link AgentObservationHandler} listens they would record twice. What the agent sees is
 * what it saw before.
 */
public final class TracedSpringAi implements ChatModel {
    private static final ChatShape<Prompt, ChatResponse> CHAT = ChatShape.<Prompt, ChatResponse>of(
                    Prompt.class, ChatResponse.class, TracedSpringAi::request, TracedSpringAi::reply)
            .model(TracedSpringAi::model);

    private static final ChatShape<Prompt, List<ChatResponse>> CHUNKS = ChatShape.<Prompt, List<ChatResponse>>of(
                    Prompt.class, List.class, TracedSpringAi::request, TracedSpringAi::chunks)
            .model(TracedSpringAi::model);

    private static final ToolShape<String, String> TOOL = ToolShape.<String, String>of(
                    String.class,
                    String.class,
                    (input, call) -> call.arguments(input),
                    (output, call) -> call.result(output))
            .failure(TracedSpringAi::thrownByTool);

    static {
        // Of streamed replies, tools and further calls run on Reactor's threads.
        Schedulers.onScheduleHook("rlm", Scope::wrap);
    }

    private final ChatModel model;
    private final ChatClient<Prompt, ChatResponse, RuntimeException> calls;
    private final ChatClient<Prompt, Publisher<ChatResponse>, RuntimeException> streams;

    private TracedSpringAi(String provider, ChatModel model) {
        String name = model.getOptions().getModel();
        this.model = model;
        calls = Traced.chat(provider, name == null ? "" : name, model::call, CHAT);
        streams = Traced.chatPublisher(
                provider,
                name == null ? "" : name,
                prompt -> JdkFlowAdapter.publisherToFlowPublisher(model.stream(prompt)),
                CHUNKS);
    }

    /** Returns the same model, whose calls and streams are recorded. */
    public static ChatModel chat(String provider, ChatModel model) {
        return new TracedSpringAi(provider, model);
    }

    /** Returns the same tools, whose calls are recorded. */
    public static List<ToolCallback> tools(List<? extends ToolCallback> tools) {
        return traced(tools, TOOL);
    }

    /** Returns the tools of MCP servers, such as those of a {@code SyncMcpToolCallbackProvider}. */
    public static List<ToolCallback> mcp(List<? extends ToolCallback> tools) {
        return traced(tools, TOOL.mcp());
    }

    private static List<ToolCallback> traced(List<? extends ToolCallback> tools, ToolShape<?, ?> shape) {
        return Traced.tools(
                ToolCallback.class, tools, tool -> tool.getToolDefinition().name(), shape);
    }

    @Override
    public ChatResponse call(Prompt prompt) {
        return calls.send(prompt);
    }

    @Override
    public Flux<ChatResponse> stream(Prompt prompt) {
        return Flux.defer(() -> JdkFlowAdapter.flowPublisherToFlux(streams.send(prompt)));
    }

    @Override
    public ChatOptions getOptions() {
        return model.getOptions();
    }

    /** Returns what a tool itself has thrown; {@code null} where Spring AI has wrapped nothing. */
    static @Nullable Throwable thrownByTool(Throwable error) {
        return error instanceof ToolExecutionException ? error.getCause() : null;
    }

    private static @Nullable String model(Prompt prompt) {
        return prompt.getOptions() == null ? null : prompt.getOptions().getModel();
    }

    static void request(Prompt prompt, ModelCall call) {
        for (Message message : prompt.getInstructions()) {
            if (message instanceof ToolResponseMessage answers) {
                answers.getResponses().forEach(answer -> call.toolMessage(answer.id(), answer.responseData()));
                continue;
            }
            call.message(message.getMessageType().getValue(), text(message));
            if (message instanceof AssistantMessage assistant) {
                assistant
                        .getToolCalls()
                        .forEach(tool -> call.shownToolRequest(tool.id(), tool.name(), tool.arguments()));
            }
        }
    }

    static String text(Message message) {
        Stream<String> text = Stream.ofNullable(message.getText());
        return message instanceof MediaContent content && !content.getMedia().isEmpty()
                ? Stream.concat(text, content.getMedia().stream().map(media -> "[" + media.getMimeType() + "]"))
                        .collect(Collectors.joining("\n"))
                : text.collect(Collectors.joining());
    }

    static void reply(ChatResponse response, ModelCall call) {
        call.response(response.getMetadata().getId(), response.getMetadata().getModel());
        usage(response, call);
        Generation first = response.getResult();
        if (first == null) {
            return;
        }
        AssistantMessage said = first.getOutput();
        Object thought = said.getMetadata().getOrDefault("reasoningContent", ""); // OpenAI's; others have their own
        call.reply((thought.equals("") ? "" : "<think>\n" + thought + "\n</think>\n\n") + text(said));
        said.getToolCalls().forEach(tool -> call.toolRequest(tool.id(), tool.name(), tool.arguments()));
        String reason = first.getMetadata().getFinishReason();
        if (reason != null) {
            call.finishReason(reason.toLowerCase(Locale.ROOT));
        }
    }

    private static void chunks(List<ChatResponse> chunks, ModelCall call) {
        new MessageAggregator()
                .aggregate(Flux.fromIterable(chunks), whole -> reply(whole, call))
                .subscribe();
        chunks.forEach(chunk -> usage(chunk, call)); // the aggregate's is without cached tokens
    }

    private static void usage(ChatResponse response, ModelCall call) {
        var usage = response.getMetadata().getUsage();
        if (usage != null && usage.getPromptTokens() > 0) { // 0 where the server did not say
            Long cached = usage.getCacheReadInputTokens();
            call.usage(new Usage((long) usage.getPromptTokens(), (long) usage.getCompletionTokens(), cached, null));
        }
    }
}
