package dev.rlm.recipes;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.core.ObjectMappers;
import com.openai.core.http.StreamResponse;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.traced.ChatClient;
import dev.rlm.sinks.traced.ChatShape;
import dev.rlm.sinks.traced.ToolShape;
import dev.rlm.sinks.traced.Traced;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The models of OpenAI's SDK, and the tools that they ask for, recorded. */
public final class TracedOpenAi {
    private static final ChatShape<ChatCompletionCreateParams, ChatCompletion> CHAT =
            ChatShape.<ChatCompletionCreateParams, ChatCompletion>of(
                            ChatCompletionCreateParams.class,
                            ChatCompletion.class,
                            TracedOpenAi::request,
                            TracedOpenAi::reply)
                    .model(params -> params.model().asString());

    private static final ChatShape<ChatCompletionCreateParams, List<ChatCompletionChunk>> CHUNKS =
            ChatShape.<ChatCompletionCreateParams, List<ChatCompletionChunk>>of(
                            ChatCompletionCreateParams.class, List.class, TracedOpenAi::request, TracedOpenAi::chunks)
                    .model(params -> params.model().asString());

    private static final ToolShape<ChatCompletionMessageFunctionToolCall, String> TOOL = ToolShape.of(
            ChatCompletionMessageFunctionToolCall.class,
            String.class,
            (request, call) ->
                    call.callId(request.id()).arguments(request.function().arguments()),
            (result, call) -> call.result(result));

    private TracedOpenAi() {}

    public static ChatClient<ChatCompletionCreateParams, ChatCompletion, RuntimeException> chat(OpenAIClient client) {
        return Traced.chat("openai", "", params -> client.chat().completions().create(params), CHAT);
    }

    /** Streamed replies; to be closed if they are not read to their end. */
    @SuppressWarnings("MustBeClosedChecker") // closed with the stream
    public static ChatClient<ChatCompletionCreateParams, Stream<ChatCompletionChunk>, RuntimeException> streaming(
            OpenAIClient client) {
        return Traced.chatStream(
                "openai",
                "",
                params -> {
                    StreamResponse<ChatCompletionChunk> reply =
                            client.chat().completions().createStreaming(params);
                    return reply.stream().onClose(reply::close);
                },
                CHUNKS);
    }

    /** The tools by their names, each of which takes a call that the model asks for. */
    public static Map<String, Function<ChatCompletionMessageFunctionToolCall, String>> tools(
            Map<String, Function<ChatCompletionMessageFunctionToolCall, String>> tools) {
        return Traced.tools(tools, TOOL); // TOOL.mcp() for those of an MCP server
    }

    private static void request(ChatCompletionCreateParams params, ModelCall call) {
        for (JsonNode message : ObjectMappers.jsonMapper().<JsonNode>valueToTree(params.messages())) {
            String role = message.path("role").asText();
            String text = text(message);
            if (role.equals("tool")) {
                call.toolMessage(message.path("tool_call_id").asText(), text);
                continue;
            }
            call.message(role, text);
            for (JsonNode tool : message.path("tool_calls")) {
                JsonNode asked = tool.path(tool.path("type").asText());
                call.shownToolRequest(
                        tool.path("id").asText(), asked.path("name").asText(), arguments(asked));
            }
        }
    }

    private static void reply(ChatCompletion completion, ModelCall call) {
        JsonNode reply = ObjectMappers.jsonMapper().valueToTree(completion);
        JsonNode choice = reply.path("choices").path(0);
        JsonNode message = choice.path("message");
        call.reply(said(thought(message), text(message)));
        for (JsonNode tool : message.path("tool_calls")) {
            JsonNode asked = tool.path(tool.path("type").asText());
            call.toolRequest(tool.path("id").asText(), asked.path("name").asText(), arguments(asked));
        }
        ending(reply, choice, call);
    }

    private static void chunks(List<ChatCompletionChunk> chunks, ModelCall call) {
        StringBuilder thought = new StringBuilder();
        StringBuilder text = new StringBuilder();
        Map<Integer, Asked> asked = new TreeMap<>();
        for (JsonNode chunk : ObjectMappers.jsonMapper().<JsonNode>valueToTree(chunks)) {
            JsonNode choice = chunk.path("choices").path(0);
            JsonNode delta = choice.path("delta");
            thought.append(thought(delta));
            text.append(text(delta));
            for (JsonNode tool : delta.path("tool_calls")) {
                asked.computeIfAbsent(tool.path("index").asInt(), index -> new Asked())
                        .add(tool);
            }
            ending(chunk, choice, call);
        }
        call.reply(said(thought.toString(), text.toString()));
        asked.values().forEach(tool -> call.toolRequest(tool.id, tool.name, tool.arguments.toString()));
    }

    /** Records which model answered, why it stopped and what it took, as far as that says it. */
    private static void ending(JsonNode reply, JsonNode choice, ModelCall call) {
        call.response(reply.path("id").asText(null), reply.path("model").asText(null));
        if (choice.hasNonNull("finish_reason")) {
            call.finishReason(choice.path("finish_reason").asText());
        }
        if (reply.hasNonNull("usage")) {
            JsonNode usage = reply.path("usage");
            call.usage(new Usage(
                    count(usage.path("prompt_tokens")),
                    count(usage.path("completion_tokens")),
                    count(usage.path("prompt_tokens_details").path("cached_tokens")),
                    count(usage.path("completion_tokens_details").path("reasoning_tokens"))));
        }
    }

    private static Long count(JsonNode tokens) {
        return tokens.isNumber() ? tokens.asLong() : null;
    }

    /** Texts of several parts are joined; a part that is no text is named. A model may refuse in the place of a text. */
    private static String text(JsonNode message) {
        JsonNode content = message.path("content");
        if (!content.isArray()) {
            return content.asText(message.path("refusal").asText(""));
        }
        List<String> parts = new ArrayList<>();
        content.forEach(part -> parts.add(
                part.has("text")
                        ? part.path("text").asText()
                        : "[" + part.path("type").asText() + "]"));
        return String.join("\n", parts);
    }

    /** The arguments of a function, the input of a tool of another kind. */
    private static String arguments(JsonNode asked) {
        return asked.path("arguments").asText(asked.path("input").asText(""));
    }

    /** The thoughts that servers of open models give beside the reply. */
    private static String thought(JsonNode message) {
        return message.path("reasoning_content")
                .asText(message.path("reasoning").asText(""));
    }

    private static String said(String thought, String text) {
        return (thought.isEmpty() ? "" : "<think>\n" + thought + "\n</think>\n\n") + text;
    }

    /** A call that the model asks for, in pieces. */
    private static final class Asked {
        private String id = "";
        private String name = "";
        private final StringBuilder arguments = new StringBuilder();

        void add(JsonNode piece) {
            id = piece.path("id").asText(id);
            name = piece.path("function").path("name").asText(name);
            arguments.append(piece.path("function").path("arguments").asText(""));
        }
    }
}
