package dev.rlm.recipes.gateway;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.Base64ImageSource;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.ImageBlockParam;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.TextBlockParam;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolResultBlockParam;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessageToolCall;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.responses.FunctionTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseInputImage;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseOutputItem;
import com.openai.models.responses.ResponseStreamEvent;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One agent on each client library: it asks with a picture, gives the tools' results, and is answered. Each returns all that it saw of
 * the model, piece by piece where it is streamed.
 */
final class Agents {
    private static final String SYSTEM = "You count.";
    private static final String QUESTION = "1 + 2, 3 + 4?";
    private static final String PICTURE =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    private static final String PICTURE_URL = "data:image/png;base64," + PICTURE;
    private static final List<String> SUMS = List.of("3", "7");

    private Agents() {}

    private static OpenAIClient openAi(String base) {
        return OpenAIOkHttpClient.builder().baseUrl(base + "/v1").apiKey("none").build();
    }

    // ---- chat completions

    static List<String> chat(String base, String model, boolean stream) {
        List<String> seen = new ArrayList<>();
        ChatCompletionCreateParams.Builder conversation = ChatCompletionCreateParams.builder()
                .model(model)
                .addSystemMessage(SYSTEM)
                .addUserMessageOfArrayOfContentParts(List.of(
                        ChatCompletionContentPart.ofText(ChatCompletionContentPartText.builder()
                                .text(QUESTION)
                                .build()),
                        ChatCompletionContentPart.ofImageUrl(ChatCompletionContentPartImage.builder()
                                .imageUrl(ChatCompletionContentPartImage.ImageUrl.builder()
                                        .url(PICTURE_URL)
                                        .build())
                                .build())))
                .addFunctionTool(FunctionDefinition.builder().name("add").build());
        if (stream) {
            conversation.streamOptions(
                    ChatCompletionStreamOptions.builder().includeUsage(true).build());
        }
        OpenAIClient client = openAi(base);
        try {
            ChatCompletion said = chat(client, conversation.build(), stream, seen);
            List<ChatCompletionMessageToolCall> calls =
                    said.choices().get(0).message().toolCalls().orElse(List.of());
            conversation.addMessage(said.choices().get(0).message());
            Iterator<String> sums = SUMS.iterator();
            calls.forEach(call -> conversation.addMessage(ChatCompletionToolMessageParam.builder()
                    .toolCallId(call.asFunction().id())
                    .content(sums.next())
                    .build()));
            seen.add(chat(client, conversation.build(), stream, seen).toString());
            return seen;
        } finally {
            client.close();
        }
    }

    private static ChatCompletion chat(
            OpenAIClient client, ChatCompletionCreateParams params, boolean stream, List<String> seen) {
        ChatCompletion whole;
        if (stream) {
            ChatCompletionAccumulator all = ChatCompletionAccumulator.create();
            try (var chunks = client.chat().completions().createStreaming(params)) {
                for (Iterator<ChatCompletionChunk> each = chunks.stream().iterator(); each.hasNext(); ) {
                    seen.add(all.accumulate(each.next()).toString());
                }
            }
            whole = all.chatCompletion();
        } else {
            whole = client.chat().completions().create(params);
        }
        seen.add(whole.toString());
        return whole;
    }

    // ---- Responses

    static List<String> responses(String base, String model, boolean stream) {
        List<String> seen = new ArrayList<>();
        List<ResponseInputItem> input =
                new ArrayList<>(List.of(ResponseInputItem.ofMessage(ResponseInputItem.Message.builder()
                        .role(ResponseInputItem.Message.Role.USER)
                        .addInputTextContent(QUESTION)
                        .addContent(ResponseInputImage.builder()
                                .detail(ResponseInputImage.Detail.AUTO)
                                .imageUrl(PICTURE_URL)
                                .build())
                        .build())));
        OpenAIClient client = openAi(base);
        try {
            Response said = responses(client, response(model, input), stream, seen);
            Iterator<String> sums = SUMS.iterator();
            for (ResponseOutputItem item : said.output()) {
                item.message().ifPresent(message -> input.add(ResponseInputItem.ofResponseOutputMessage(message)));
                item.functionCall().ifPresent(call -> input.add(ResponseInputItem.ofFunctionCall(call)));
            }
            said.output().stream()
                    .filter(ResponseOutputItem::isFunctionCall)
                    .map(ResponseOutputItem::asFunctionCall)
                    .map(ResponseFunctionToolCall::callId)
                    .forEach(id -> input.add(
                            ResponseInputItem.ofFunctionCallOutput(ResponseInputItem.FunctionCallOutput.builder()
                                    .callId(id)
                                    .output(sums.next())
                                    .build())));
            responses(client, response(model, input), stream, seen);
            return seen;
        } finally {
            client.close();
        }
    }

    private static ResponseCreateParams response(String model, List<ResponseInputItem> input) {
        return ResponseCreateParams.builder()
                .model(model)
                .instructions(SYSTEM)
                .inputOfResponse(List.copyOf(input))
                .addTool(FunctionTool.builder()
                        .name("add")
                        .strict(false)
                        .parameters(FunctionTool.Parameters.builder()
                                .putAdditionalProperty("type", JsonValue.from("object"))
                                .build())
                        .build())
                .build();
    }

    private static Response responses(
            OpenAIClient client, ResponseCreateParams params, boolean stream, List<String> seen) {
        Response whole;
        if (stream) {
            ResponseAccumulator all = ResponseAccumulator.create();
            try (var events = client.responses().createStreaming(params)) {
                for (Iterator<ResponseStreamEvent> each = events.stream().iterator(); each.hasNext(); ) {
                    seen.add(all.accumulate(each.next()).toString());
                }
            }
            whole = all.response();
        } else {
            whole = client.responses().create(params);
        }
        seen.add(whole.toString());
        return whole;
    }

    // ---- Messages

    static List<String> messages(String base, String model, boolean stream) {
        List<String> seen = new ArrayList<>();
        MessageCreateParams.Builder conversation = MessageCreateParams.builder()
                .model(model)
                .maxTokens(64)
                .system(SYSTEM)
                .addTool(Tool.builder()
                        .name("add")
                        .inputSchema(Tool.InputSchema.builder().build())
                        .build())
                .addUserMessageOfBlockParams(List.of(
                        ContentBlockParam.ofText(
                                TextBlockParam.builder().text(QUESTION).build()),
                        ContentBlockParam.ofImage(ImageBlockParam.builder()
                                .source(Base64ImageSource.builder()
                                        .mediaType(Base64ImageSource.MediaType.IMAGE_PNG)
                                        .data(PICTURE)
                                        .build())
                                .build())));
        AnthropicClient client =
                AnthropicOkHttpClient.builder().baseUrl(base).apiKey("none").build();
        try {
            var said = messages(client, conversation.build(), stream, seen);
            Iterator<String> sums = SUMS.iterator();
            conversation.addMessage(said);
            conversation.addUserMessageOfBlockParams(said.content().stream()
                    .flatMap(block -> block.toolUse().stream())
                    .map(use -> ContentBlockParam.ofToolResult(ToolResultBlockParam.builder()
                            .toolUseId(use.id())
                            .content(sums.next())
                            .build()))
                    .toList());
            messages(client, conversation.build(), stream, seen);
            return seen;
        } finally {
            client.close();
        }
    }

    private static com.anthropic.models.messages.Message messages(
            AnthropicClient client, MessageCreateParams params, boolean stream, List<String> seen) {
        com.anthropic.models.messages.Message whole;
        if (stream) {
            MessageAccumulator all = MessageAccumulator.create();
            try (var events = client.messages().createStreaming(params)) {
                for (Iterator<RawMessageStreamEvent> each = events.stream().iterator(); each.hasNext(); ) {
                    seen.add(all.accumulate(each.next()).toString());
                }
            }
            whole = all.message();
        } else {
            whole = client.messages().create(params);
        }
        seen.add(whole.toString());
        return whole;
    }

    // ---- LangChain4j

    static List<String> langChain4j(String base, String model, boolean stream) {
        List<String> seen = new ArrayList<>();
        List<ChatMessage> conversation = new ArrayList<>(List.of(
                SystemMessage.from(SYSTEM),
                UserMessage.from(TextContent.from(QUESTION), ImageContent.from(PICTURE, "image/png"))));
        ChatResponse said = langChain4j(base, model, conversation, stream, seen);
        conversation.add(said.aiMessage());
        Iterator<String> sums = SUMS.iterator();
        for (ToolExecutionRequest call : said.aiMessage().toolExecutionRequests()) {
            conversation.add(ToolExecutionResultMessage.from(call, sums.next()));
        }
        langChain4j(base, model, conversation, stream, seen);
        return seen;
    }

    private static ChatResponse langChain4j(
            String base, String model, List<ChatMessage> messages, boolean stream, List<String> seen) {
        ChatRequest request = ChatRequest.builder()
                .messages(messages)
                .toolSpecifications(ToolSpecification.builder().name("add").build())
                .build();
        ChatResponse whole = stream
                ? streamed(base, model, request, seen)
                : OpenAiChatModel.builder()
                        .baseUrl(base + "/v1")
                        .apiKey("none")
                        .modelName(model)
                        .build()
                        .chat(request);
        seen.add(whole.aiMessage() + " " + whole.id() + " " + whole.modelName() + " " + whole.tokenUsage() + " "
                + whole.finishReason());
        return whole;
    }

    private static ChatResponse streamed(String base, String model, ChatRequest request, List<String> seen) {
        CompletableFuture<ChatResponse> whole = new CompletableFuture<>();
        OpenAiStreamingChatModel.builder()
                .baseUrl(base + "/v1")
                .apiKey("none")
                .modelName(model)
                .build()
                .chat(request, new StreamingChatResponseHandler() {
                    @Override
                    public void onPartialResponse(String piece) {
                        seen.add(piece);
                    }

                    @Override
                    public void onCompleteResponse(ChatResponse response) {
                        whole.complete(response);
                    }

                    @Override
                    public void onError(Throwable error) {
                        whole.completeExceptionally(error);
                    }
                });
        return whole.join();
    }
}
