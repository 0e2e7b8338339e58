package dev.rlm.json.chat;

import dev.rlm.json.Json;
import dev.rlm.sinks.MessageParts;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MessagePartBuilder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Messages as chat-completion APIs write them, with a content, and as OpenTelemetry's conventions do, with parts; blocks of other APIs
 * among these are read too. What is not known is kept as its JSON.
 */
public final class MessageJson {
    /** Fields of a message that tell what the model thought before it spoke; some servers say it under several. */
    public static final List<String> THOUGHTS = List.of("reasoning_content", "reasoning", "thinking");

    private static final Set<String> KINDS = Set.of("image", "audio", "video", "file", "document");
    private static final String TOOL = "tool";
    private static final Map<String, String> ROLES = Map.of("function", TOOL, "model", Message.ASSISTANT);
    private static final String URL = "_url";
    private static final String DATA = "data:";

    private MessageJson() {}

    /**
     * Call of a tool.
     *
     * @param id empty if it has none
     * @param arguments as the model wrote them, usually a JSON object
     */
    public record Call(String id, String tool, String arguments) {
        /** Reads one in any API's form: with a function, as a custom tool's, or with a name of its own. */
        static Call of(JsonNode call) {
            JsonNode function = call.path("custom").isObject()
                    ? call.path("custom")
                    : call.path("function").isObject() ? call.path("function") : call;
            return new Call(
                    first(call, "call_id", "toolCallId", "id").asString(""),
                    first(function, "name", "toolName").stringValue(""),
                    arguments(function));
        }

        /** The arguments of a call, which are a text of JSON, or for some the JSON itself; of one that takes text that text. */
        static String arguments(JsonNode function) {
            return plain(first(function, "input", "arguments", "args"));
        }

        /** Returns it as a message of the assistant has it. */
        public ObjectNode json() {
            ObjectNode call = ChatApi.object().put("id", id).put("type", "function");
            call.putObject("function").put("name", tool).put("arguments", arguments);
            return call;
        }
    }

    /** The text of a value: itself, or that of its parts, a line each; what is none, as its JSON. */
    public static String text(JsonNode content) {
        if (!content.isArray()) {
            return plain(content);
        }
        StringBuilder text = new StringBuilder();
        for (JsonNode part : content) {
            String more =
                    part.isString() ? part.stringValue() : part.path("text").stringValue("");
            text.append(text.isEmpty() || more.isEmpty() ? "" : "\n").append(more);
        }
        return text.toString();
    }

    private static String plain(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? "" : value.isString() ? value.stringValue() : Json.text(value);
    }

    /** The calls of tools that a message asks for, also where it has a function in the place of tools. */
    public static List<Call> toolCalls(JsonNode message) {
        List<Call> calls = new ArrayList<>();
        JsonNode place = message.has("tool_calls") ? message : message.path("additional_kwargs"); // of LangChain's
        Json.elements(place.path("tool_calls")).forEach(each -> calls.add(Call.of(each)));
        if (calls.isEmpty() && message.path("function_call").isObject()) {
            calls.add(Call.of(message.path("function_call")));
        }
        return calls;
    }

    /**
     * Reads a message.
     *
     * @param usualRole that of one that names none
     * @param content makes the content of a text
     */
    public static Message message(JsonNode message, String usualRole, Function<String, Content> content) {
        String told = message.path("role").stringValue("");
        String role = told.isBlank() ? usualRole : ROLES.getOrDefault(told, told);
        PartList parts = new PartList(content);
        parts(message, parts);
        String answered =
                message.path("tool_call_id").stringValue(message.path("id").stringValue(null));
        boolean tool = role.equals(TOOL) && parts.all.stream().allMatch(MessagePart::isText);
        return new Message(role, Content.EMPTY, List.of(), tool ? answered : null, parts.all);
    }

    /** Reads a message, as {@link #message}; each result of a tool that another's holds is one of its own. */
    public static List<Message> messages(JsonNode message, String usualRole, Function<String, Content> content) {
        Message whole = message(message, usualRole, content);
        boolean holds = whole.parts().stream().anyMatch(part -> part.type() == MessagePart.Type.TOOL_RESULT);
        if (whole.role().equals(Message.ASSISTANT) || !holds) {
            boolean one = whole.toolCallId() != null && !whole.role().equals(Message.ASSISTANT);
            return List.of(
                    one ? new Message(TOOL, whole.content(), List.of(), whole.toolCallId(), whole.parts()) : whole);
        }
        List<Message> all = new ArrayList<>();
        List<MessagePart> others = new ArrayList<>();
        for (MessagePart part : whole.parts()) {
            if (part.type() == MessagePart.Type.TOOL_RESULT) {
                all.add(new Message(TOOL, part.text(), List.of(), part.id()));
            } else {
                others.add(part);
            }
        }
        if (!others.isEmpty()) {
            all.add(new Message(whole.role(), Content.EMPTY, List.of(), null, others));
        }
        return all;
    }

    /** Adds all that a message consists of: thoughts, then what it says, then the calls that it asks for. */
    public static void parts(JsonNode message, MessageParts parts) {
        THOUGHTS.stream()
                .map(name -> message.path(name).stringValue(""))
                .filter(thought -> !thought.isEmpty())
                .distinct()
                .forEach(parts::reasoning);
        JsonNode said = message.has("parts") ? message.path("parts") : message.path("content");
        if (said.isArray()) {
            said.forEach(part -> part(part, parts));
        } else if (!plain(said).isEmpty()) {
            parts.text(plain(said));
        }
        toolCalls(message).forEach(call -> parts.toolCall(call.id(), call.tool(), call.arguments()));
    }

    private static void part(JsonNode told, MessageParts parts) {
        JsonNode asked = first(told, "function_call", "functionCall"); // of Google's, which have no type
        JsonNode response = first(told, "function_response", "functionResponse");
        JsonNode part = asked.isObject() ? asked : response.isObject() ? response : told;
        String usual = asked.isObject() ? "tool_call" : response.isObject() ? "tool_result" : "text";
        String type =
                part.path("type").stringValue(usual).toLowerCase(Locale.ROOT).replace('-', '_');
        switch (type) {
            case "text", "output_text", "input_text", "refusal" -> parts.text(words(part));
            case "reasoning", "thinking" -> parts.reasoning(words(part));
            case "tool_call", "tool_use", "server_tool_use", "mcp_tool_use", "function" -> {
                Call call = Call.of(part);
                parts.toolCall(call.id(), call.tool(), call.arguments());
            }
            case "tool_call_response" -> result(part, parts);
            default -> {
                if (type.endsWith("tool_result")) {
                    result(part, parts);
                } else if (type.endsWith("_call")) { // of a tool of the provider, with its result
                    parts.toolCall(part.path("id").stringValue(""), type, plain(part));
                } else if (!media(type, part, parts)) {
                    parts.text(plain(part));
                }
            }
        }
    }

    private static void result(JsonNode part, MessageParts parts) {
        JsonNode result = first(part, "response", "result", "content", "output");
        String text = text(result);
        parts.toolResult(
                first(part, "id", "tool_use_id", "toolCallId").stringValue(""), text.isEmpty() ? plain(result) : text);
    }

    private static String words(JsonNode part) {
        return part.isString()
                ? part.stringValue()
                : plain(first(part, "content", "text", part.path("type").stringValue("")));
    }

    private static JsonNode first(JsonNode object, String... names) {
        return object.path(firstName(object, names));
    }

    private static String firstName(JsonNode object, String... names) {
        return Stream.of(names).filter(object::has).findFirst().orElse(names[0]);
    }

    /** Adds what is told by reference, of any of the forms that APIs give it; returns whether it is such. */
    private static boolean media(String type, JsonNode part, MessageParts parts) {
        String kind =
                part.path("modality").stringValue(type.replace("input_", "").replace(URL, ""));
        JsonNode place = part.path(type).isObject() ? part.path(type) : part;
        JsonNode source = place.path("source").isObject() ? place.path("source") : place;
        String field = firstName(source, "url", "uri", kind + URL, "file_data", "data", "content", "file_id");
        JsonNode told = source.path(field);
        String uri = told.path("url").stringValue(told.stringValue(""));
        if (!KINDS.contains(kind)) {
            return false;
        } else if (uri.isEmpty()) {
            parts.text("[" + type + "]");
            return true;
        }
        boolean bytes = uri.startsWith(DATA) || field.equals("data") || field.equals("content");
        String mediaType = first(source, "mime_type", "media_type")
                .stringValue(uri.startsWith(DATA) ? uri.substring(DATA.length()).split("[;,]", 2)[0] : null);
        String hash = source.path("sha256").stringValue(bytes ? sha256(uri) : null);
        String shown = bytes ? DATA + (mediaType == null ? "" : mediaType) : uri;
        switch (kind) {
            case "image" -> parts.image(shown, mediaType, hash);
            case "audio" -> parts.audio(shown, mediaType, hash);
            default -> parts.file(shown, mediaType, hash);
        }
        return true;
    }

    /** The hash of bytes that are told as base64, or as a part of an address. */
    private static String sha256(String data) {
        int comma = data.startsWith(DATA) ? data.indexOf(',') : -1;
        byte[] bytes;
        try {
            bytes = Base64.getMimeDecoder().decode(data.substring(comma + 1));
        } catch (IllegalArgumentException e) { // it was cut, or is of another form
            bytes = data.getBytes(StandardCharsets.UTF_8);
        }
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether all of a part is kept: of bytes within an address it is the hash alone. */
    public static boolean isWhole(JsonNode part) {
        PartList parts = new PartList(Content::redacted);
        part(part, parts);
        return parts.all.stream().noneMatch(MessageJson::isData);
    }

    /** Records that a model was shown a message. */
    public static void show(JsonNode message, ModelCall call) {
        String role = message.path("role").stringValue("user");
        JsonNode content = message.path("content");
        boolean plain = !content.isArray() && THOUGHTS.stream().noneMatch(message::has);
        if (role.equals(TOOL)) {
            call.toolMessage(message.path("tool_call_id").stringValue(""), text(content));
        } else if (plain) {
            call.message(role, text(content));
            toolCalls(message).forEach(each -> call.shownToolRequest(each.id(), each.tool(), each.arguments()));
        } else {
            call.messageParts(role, parts -> parts(message, parts));
        }
    }

    /** Writes a message as chat completions have it; thoughts have no place in it. */
    public static ObjectNode json(Message message) {
        ObjectNode json = ChatApi.message(message.role());
        if (message.parts().stream().anyMatch(part -> part.type().isMedia() && !isData(part))) {
            message.parts().forEach(part -> add(json.withArrayProperty("content"), part));
        } else if (message.parts().stream().anyMatch(MessageJson::isData)) {
            json.put(
                    "content",
                    message.parts().stream()
                            .flatMap(part -> words(part).stream())
                            .collect(Collectors.joining("\n")));
        } else {
            boolean silent = !message.toolCalls().isEmpty() && message.content().isEmpty();
            json.put("content", silent ? null : message.content().text());
        }
        message.toolCalls()
                .forEach(each -> json.withArrayProperty("tool_calls")
                        .add(new Call(each.id(), each.tool(), each.arguments().text()).json()));
        if (message.toolCallId() != null) {
            json.put("tool_call_id", message.toolCallId());
        }
        return json;
    }

    /** A part in the form of which {@code image_url} is the best known. */
    private static void add(ArrayNode content, MessagePart part) {
        words(part)
                .ifPresentOrElse(
                        words -> content.addObject().put("type", "text").put("text", words), () -> {
                            if (part.type().isMedia()) {
                                String type = mediaType(part);
                                content.addObject()
                                        .put("type", type)
                                        .putObject(type)
                                        .put("url", part.uri() == null ? "" : part.uri());
                            }
                        });
    }

    private static String mediaType(MessagePart part) {
        return part.type().name().toLowerCase(Locale.ROOT) + URL;
    }

    /** Returns whether a part stands for bytes that are not kept. */
    private static boolean isData(MessagePart part) {
        return part.uri() != null && part.uri().startsWith(DATA);
    }

    /** Returns what a part says, or the name of bytes that are not kept. */
    private static Optional<String> words(MessagePart part) {
        return part.isText()
                ? Optional.of(part.text().text())
                : isData(part) ? Optional.of("[" + mediaType(part) + "]") : Optional.empty();
    }

    /** Parts that are collected into a list. */
    private static final class PartList implements MessageParts {
        private final Function<String, Content> content;
        private final List<MessagePart> all = new ArrayList<>();

        PartList(Function<String, Content> content) {
            this.content = content;
        }

        private PartList add(MessagePart.Type type, String text, @Nullable String id, @Nullable String tool) {
            all.add(MessagePartBuilder.builder()
                    .type(type)
                    .content(content.apply(text))
                    .id(id)
                    .tool(tool)
                    .build());
            return this;
        }

        private PartList refer(MessagePart.Type type, String uri, @Nullable String mediaType, @Nullable String sha256) {
            all.add(MessagePartBuilder.builder()
                    .type(type)
                    .uri(uri)
                    .mediaType(mediaType)
                    .sha256(sha256)
                    .build());
            return this;
        }

        @Override
        public MessageParts text(String text) {
            return add(MessagePart.Type.TEXT, text, null, null);
        }

        @Override
        public MessageParts reasoning(String text) {
            return add(MessagePart.Type.REASONING, text, null, null);
        }

        @Override
        public MessageParts toolCall(String id, String tool, String arguments) {
            return add(MessagePart.Type.TOOL_CALL, arguments, id, tool);
        }

        @Override
        public MessageParts toolResult(String id, String text) {
            return add(MessagePart.Type.TOOL_RESULT, text, id, null);
        }

        @Override
        public MessageParts image(String uri, @Nullable String mediaType, @Nullable String sha256) {
            return refer(MessagePart.Type.IMAGE, uri, mediaType, sha256);
        }

        @Override
        public MessageParts audio(String uri, @Nullable String mediaType, @Nullable String sha256) {
            return refer(MessagePart.Type.AUDIO, uri, mediaType, sha256);
        }

        @Override
        public MessageParts file(String uri, @Nullable String mediaType, @Nullable String sha256) {
            return refer(MessagePart.Type.FILE, uri, mediaType, sha256);
        }
    }
}
