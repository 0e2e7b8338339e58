package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.collector.otlp.SpanEvent;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fields of a call of a model or a tool, by the names that conventions give them: those of OpenTelemetry for generative AI
 * (1.36 to 1.41) and MCP, OpenInference, and OpenLLMetry. The first that is there counts.
 */
final class CallFields {
    /** Returns the provider of the model. */
    static final String[] PROVIDER = {
        "gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system", "ai.model.provider"
    };

    private static final String REQUEST_MODEL = "gen_ai.request.model";
    private static final String MODEL_NAME =
            "llm.model_name"; // OpenInference's: the one that answered, where it is known
    private static final String[] MODEL = {
        REQUEST_MODEL, MODEL_NAME, "llm.request.model", "ai.model.id", "gen_ai.response.model", "embedding.model_name"
    };
    private static final String[] INPUT_TOKENS = {
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
        "ai.usage.inputTokens",
        "ai.usage.promptTokens",
        "gen_ai.response.input_tokens"
    };
    private static final String UNCACHED_TOKENS = "input_tokens"; // of Claude Code, as Anthropic counts them
    private static final String[] OUTPUT_TOKENS = {
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
        "ai.usage.outputTokens",
        "ai.usage.completionTokens",
        "gen_ai.response.output_tokens",
        "output_tokens"
    };
    private static final String[] CACHED_TOKENS = {
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens",
        "cache_read_tokens"
    };
    private static final String[] CACHE_CREATION_TOKENS = {
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
        "cache_creation_tokens"
    };
    private static final String[] REASONING_TOKENS = {
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "llm.usage.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
        "ai.usage.reasoningTokens"
    };
    private static final String[] TOOL = {
        "gen_ai.tool.name", "tool.name", "mcp.tool.name", "ai.toolCall.name", "tool_name", "traceloop.entity.name"
    };
    private static final String[] CALL_ID = {"gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id", "tool_use_id"};
    private static final String[] ARGUMENTS = {
        "gen_ai.tool.call.arguments",
        "gen_ai.retrieval.query.text",
        "tool_arguments",
        "ai.toolCall.args",
        "gcp.vertex.agent.tool_call_args",
        "tool_input",
        "input.value",
        "traceloop.entity.input",
        "tool.parameters",
        "gen_ai.prompt"
    };
    private static final String[] RESULT = {
        "gen_ai.tool.call.result",
        "tool_response",
        "ai.toolCall.result",
        "gcp.vertex.agent.tool_response",
        "output.value",
        "traceloop.entity.output",
        "gen_ai.completion"
    };
    private static final String REQUEST = "gen_ai.request.";
    private static final Map<String, String> PARAMETERS =
            Map.of("choice.count", "n", "stop_sequences", "stop", "reasoning.level", "reasoning_effort", "model", "");
    private static final Set<String> NO_PARAMETERS = Set.of("messages", "model");
    private static final Map<String, String> ROLES = Map.of(
            "gen_ai.system.message", "system",
            "gen_ai.user.message", "user",
            "gen_ai.assistant.message", "assistant",
            "gen_ai.tool.message", "tool");
    private static final String CHOICE = "gen_ai.choice";
    private static final String DOCUMENTS = "gen_ai.retrieval.documents";
    private static final Predicate<String> KNOWN_OF_TOOLS = Stream.concat(
                    Stream.of(Stream.of(TOOL), Stream.of(CALL_ID), Stream.of(ARGUMENTS), Stream.of(RESULT))
                            .flatMap(each -> each),
                    Stream.of(
                            AttributeNames.OPERATION,
                            "gen_ai.conversation.id",
                            "gen_ai.tool.type",
                            "mcp.method.name",
                            DOCUMENTS))
            .collect(Collectors.toSet())::contains;

    private final ReceivedSpan span;
    private final Attributes on;
    private final @Nullable ObjectNode invocation;

    CallFields(ReceivedSpan span) {
        this.span = span;
        this.on = span.attributes();
        this.invocation = Chat.object(on.text("llm.invocation_parameters"));
    }

    // ---- of a model's call

    String model() {
        String asked = on.has(REQUEST_MODEL) ? null : askedModel();
        return asked == null ? on.textOrEmpty(MODEL) : asked;
    }

    private @Nullable String askedModel() {
        return invocation == null ? null : invocation.path("model").stringValue(null);
    }

    @Nullable
    String responseModel() {
        String said = on.text("gen_ai.response.model", "llm.response.model");
        String asked = askedModel();
        String name = on.text(MODEL_NAME);
        return said == null && asked != null && !asked.equals(name) ? name : said;
    }

    @Nullable
    Content toolDefinitions() {
        Map<String, Object> indexed = on.below("llm.tools.");
        List<Object> definitions = new ArrayList<>();
        for (Object each = indexed.get("0.tool.json_schema");
                each != null;
                each = indexed.get(definitions.size() + ".tool.json_schema")) {
            definitions.add(each);
        }
        return content(
                definitions.isEmpty()
                        ? on.text("gen_ai.tool.definitions", "llm.request.functions", "ai.prompt.tools")
                        : definitions.stream().map(Object::toString).collect(Collectors.joining(",", "[", "]")));
    }

    Usage usage() {
        Long cached = tokens(CACHED_TOKENS);
        Long written = tokens(CACHE_CREATION_TOKENS);
        Long input = tokens(INPUT_TOKENS);
        Long uncached = tokens(UNCACHED_TOKENS);
        if (input == null && uncached != null) {
            input = uncached + (cached == null ? 0 : cached) + (written == null ? 0 : written);
        }
        return new Usage(input, tokens(OUTPUT_TOKENS), cached, tokens(REASONING_TOKENS), written);
    }

    private @Nullable Long tokens(String... names) {
        Long count = on.whole(names);
        return count == null || count < 0 ? null : count;
    }

    /** Returns parameters by the names that chat-completion APIs give them. */
    Map<String, Object> parameters() {
        Map<String, Object> parameters = new TreeMap<>();
        if (invocation != null) {
            invocation.properties().forEach(each -> {
                Object value = Json.values(each.getValue());
                if (value != null && !NO_PARAMETERS.contains(each.getKey())) {
                    parameters.put(each.getKey(), value);
                }
            });
        }
        on.below(REQUEST).forEach((name, value) -> {
            String usual = PARAMETERS.getOrDefault(name, name);
            boolean implied = name.equals("stream") && on.has("gen_ai.response.time_to_first_chunk");
            if (!usual.isEmpty() && !implied) {
                parameters.put(usual, value);
            }
        });
        return parameters;
    }

    static @Nullable Content content(@Nullable String text) {
        return text == null ? null : Content.redacted(text);
    }

    @Nullable
    Content instructions() {
        String json = on.text("gen_ai.system_instructions");
        List<JsonNode> parts = Chat.array(json);
        if (json == null && on.below("llm.input_messages.").isEmpty()) {
            return content(
                    adk("request").path("config").path("system_instruction").stringValue(null));
        }
        String text =
                parts.stream().map(part -> part.path("content").stringValue("")).collect(Collectors.joining("\n"));
        return content(parts.isEmpty() ? json : text);
    }

    List<Message> messages() {
        List<Message> messages = Chat.messages(anywhere("gen_ai.input.messages"));
        if (messages.isEmpty()) {
            messages = events(ROLES.keySet()::contains);
        }
        if (messages.isEmpty()) {
            messages = Chat.indexed(on.below("llm.input_messages."), "user");
        }
        if (messages.isEmpty()) {
            messages = Chat.indexed(on.below("gen_ai.prompt."), "user");
        }
        if (messages.isEmpty()) {
            messages = Chat.messages(on.text("ai.prompt.messages"));
        }
        if (messages.isEmpty()) {
            messages = Chat.messages(Json.elements(adk("request").path("contents")));
        }
        if (messages.isEmpty()) {
            messages = Chat.conversation(on.text("input.value", "gen_ai.prompt"));
        }
        return messages.isEmpty() ? plain("user", "gen_ai.prompt", "input.value", "traceloop.entity.input") : messages;
    }

    /** The request or the response of a model as Google's ADK tells it. */
    private JsonNode adk(String which) {
        return tree("gcp.vertex.agent.llm_" + which);
    }

    private JsonNode tree(String name) {
        ObjectNode tree = Chat.object(on.text(name));
        return tree == null ? JsonNodeFactory.instance.missingNode() : tree;
    }

    @Nullable
    Message reply() {
        List<Message> replies = Chat.messages(anywhere("gen_ai.output.messages"));
        if (replies.isEmpty()) {
            replies = events(CHOICE::equals);
        }
        if (replies.isEmpty()) {
            Map<String, Object> said = on.below("llm.output_messages.");
            boolean choices = invocation != null && invocation.path("n").asInt(1) > 1;
            // Several messages are choices, or the items of one reply, as OpenAI's Responses have them.
            replies = choices ? Chat.indexed(said, "assistant") : Chat.joined(said, "assistant");
        }
        if (replies.isEmpty()) {
            replies = Chat.indexed(on.below("gen_ai.completion."), "assistant");
        }
        if (replies.isEmpty()) {
            replies = Chat.reply(on.text("ai.response.text"), on.text("ai.response.toolCalls"));
        }
        if (replies.isEmpty() && adk("response").has("content")) {
            replies = Chat.message(adk("response").path("content"), "assistant");
        }
        if (replies.isEmpty() && !span.failed()) {
            replies = Chat.answer(on.text("output.value", "gen_ai.completion"));
        }
        if (replies.isEmpty() && !span.failed()) {
            replies = plain("assistant", "gen_ai.completion", "output.value", "traceloop.entity.output");
        }
        return replies.isEmpty() ? null : replies.get(0);
    }

    private List<Message> plain(String role, String... names) {
        String text = on.text(names);
        return text == null ? List.of() : List.of(new Message(role, Content.redacted(text), List.of(), null));
    }

    /** Later versions of the conventions permit these on an event as well. */
    private @Nullable String anywhere(String name) {
        return Stream.concat(Stream.of(on), span.events().stream().map(SpanEvent::attributes))
                .map(each -> each.text(name))
                .filter(text -> text != null)
                .findFirst()
                .orElse(null);
    }

    /** Returns the messages that events tell, as the conventions had it before 1.37. */
    private List<Message> events(Predicate<String> which) {
        List<Message> messages = new ArrayList<>();
        for (SpanEvent event : told()) {
            if (which.test(event.name())) {
                Map<String, Object> fields =
                        new LinkedHashMap<>(event.attributes().values());
                Object inner = fields.remove("message");
                ObjectNode message = inner instanceof Map<?, ?> map
                        ? (ObjectNode) Json.tree(map)
                        : Chat.object(inner == null ? null : inner.toString());
                ObjectNode outer = (ObjectNode) Json.tree(fields);
                if (message != null) {
                    outer.setAll(message);
                }
                parsed(outer, "tool_calls");
                messages.addAll(Chat.message(outer, ROLES.getOrDefault(event.name(), "assistant")));
            }
        }
        return messages;
    }

    /** The events of the span, or those that Logfire writes into an attribute in their place. */
    private List<SpanEvent> told() {
        List<SpanEvent> told = new ArrayList<>(span.events());
        for (JsonNode each : Chat.array(on.text("events"))) {
            Map<String, Object> fields = new LinkedHashMap<>();
            each.properties().forEach(field -> {
                Object value = Json.values(field.getValue());
                if (value != null) {
                    fields.put(field.getKey(), value);
                }
            });
            told.add(new SpanEvent(each.path("event.name").stringValue(""), span.start(), new Attributes(fields)));
        }
        return told;
    }

    private static void parsed(ObjectNode message, String name) {
        String json = message.path(name).stringValue(null);
        if (json != null) {
            message.withArray("/" + name + "_read").addAll(Chat.array(json));
            message.set(name, message.remove(name + "_read"));
        }
    }

    @Nullable
    String finishReason() {
        Object reasons = on.values().get("gen_ai.response.finish_reasons");
        List<JsonNode> read = reasons instanceof String text ? Chat.array(text) : List.of();
        Object first = reasons instanceof List<?> list && !list.isEmpty()
                ? list.get(0)
                : read.isEmpty() ? reasons : read.get(0).asString("");
        String indexed = on.text(
                "gen_ai.completion.0.finish_reason",
                "llm.response.finish_reason",
                "ai.response.finishReason",
                "stop_reason");
        return first instanceof List<?> || first == null ? indexed : first.toString();
    }

    // ---- of a tool's call

    String tool() {
        String name = on.text(TOOL);
        String said = name == null ? span.name().replaceFirst("^(execute_tool|tools/call|retrieval) ", "") : name;
        return said.isBlank() ? "tool" : said;
    }

    String toolProvider() {
        String type = on.text("gen_ai.tool.type");
        if (on.has("mcp.method.name") || "extension".equals(type)) {
            return ToolCalled.MCP;
        } else if (Convention.isRetrieval(span)) {
            return ToolCalled.RETRIEVAL;
        }
        return ToolCalled.FUNCTION;
    }

    @Nullable
    String callId() {
        return on.text(CALL_ID);
    }

    String arguments() {
        return on.textOrEmpty(ARGUMENTS);
    }

    String result() {
        return span.failed() && !on.has(RESULT[0]) ? "" : on.textOrEmpty(RESULT);
    }

    /** Returns the code that its kind of error is; that of an internal error where it is another text. */
    int toolStatus() {
        String type = on.text(AttributeNames.ERROR_TYPE);
        if (!span.failed()) {
            return RunStatus.OK;
        }
        return type != null && type.matches("\\d{1,3}") ? Integer.parseInt(type) : RunStatus.INTERNAL;
    }

    /** Returns what has no field of its own. */
    Map<String, Object> otherAttributes() {
        Map<String, Object> others = new TreeMap<>(on.values());
        String type = on.text(AttributeNames.ERROR_TYPE);
        others.keySet()
                .removeIf(name -> KNOWN_OF_TOOLS.test(name)
                        || name.startsWith("retrieval.documents.")
                        || (name.equals(AttributeNames.ERROR_TYPE)
                                && String.valueOf(type).matches("\\d{1,3}")));
        return others;
    }

    List<RetrievedDocument> documents() {
        List<RetrievedDocument> documents = new ArrayList<>();
        for (JsonNode each : Chat.array(on.text(DOCUMENTS))) {
            String id = each.path("id").asString("");
            documents.add(new RetrievedDocument(
                    id, Json.number(each.path("score")), each.path("sha256").stringValue(null)));
        }
        Map<String, Object> indexed = on.below("retrieval.documents.");
        for (int i = 0; indexed.containsKey(i + ".document.id") || indexed.containsKey(i + ".document.content"); i++) {
            Object score = indexed.get(i + ".document.score");
            documents.add(new RetrievedDocument(
                    indexed.getOrDefault(i + ".document.id", Integer.toString(i))
                            .toString(),
                    score instanceof Number number ? (Double) number.doubleValue() : null,
                    null));
        }
        return documents;
    }
}
