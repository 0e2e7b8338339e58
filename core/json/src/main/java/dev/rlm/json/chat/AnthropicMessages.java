package dev.rlm.json.chat;

import dev.rlm.json.Json;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Anthropic's Messages. */
final class AnthropicMessages implements ChatApi {
    @Override
    public String provider() {
        return "anthropic";
    }

    @Override
    public ObjectNode request(ObjectNode request) {
        ObjectNode chat = request.deepCopy();
        chat.remove("system");
        ArrayNode messages = chat.putArray("messages");
        String system = MessageJson.text(request.path("system"));
        if (!system.isEmpty()) {
            messages.add(ChatApi.message("system").put("content", system));
        }
        for (JsonNode message : Json.elements(request.path("messages"))) {
            add(message, messages);
        }
        return chat;
    }

    /** Adds a message, and before it the results of tools that it holds, which are messages of their own. */
    private static void add(JsonNode from, ArrayNode messages) {
        ObjectNode message = ChatApi.message(from.path("role").stringValue("user"));
        if (from.path("content").isArray()) {
            for (JsonNode block : from.path("content")) {
                if (block.path("type").stringValue("").equals("tool_result")) {
                    messages.add(ChatApi.message("tool")
                            .put("tool_call_id", block.path("tool_use_id").stringValue(""))
                            .put("is_error", block.path("is_error").booleanValue(false))
                            .put("content", result(block.path("content"))));
                } else {
                    addBlock(block, message);
                }
            }
        } else {
            message.set("content", from.path("content"));
        }
        if (message.size() > 1) {
            messages.add(message);
        }
    }

    private static void addBlock(JsonNode block, ObjectNode message) {
        if (block.path("type").stringValue("").equals("tool_use")) {
            message.withArrayProperty("tool_calls")
                    .add(MessageJson.Call.of(block).json());
        } else {
            message.withArrayProperty("content").add(block);
        }
    }

    /** The text of a tool's result; what is none, such as a picture, by its name. */
    private static String result(JsonNode content) {
        return content.isArray()
                ? content.valueStream()
                        .map(part -> part.path("text")
                                .stringValue("[" + part.path("type").stringValue("") + "]"))
                        .collect(Collectors.joining("\n"))
                : MessageJson.text(content);
    }

    @Override
    public ObjectNode reply(ObjectNode reply) {
        ObjectNode message = ChatApi.message("assistant");
        Json.elements(reply.path("content")).forEach(block -> addBlock(block, message));
        return ChatApi.reply(reply, message, reply.path("stop_reason").stringValue(null), usage(reply.path("usage")));
    }

    /** Tokens that are read from a cache, or written to one, are beside the input's there. */
    private static Map<String, JsonNode> usage(JsonNode usage) {
        long cached = usage.path("cache_read_input_tokens").longValue(0);
        long written = usage.path("cache_creation_input_tokens").longValue(0);
        JsonNode input = usage.path("input_tokens");
        return Map.of(
                "prompt_tokens",
                input.isNumber() ? Json.tree(input.longValue(0) + cached + written) : input,
                "completion_tokens",
                usage.path("output_tokens"),
                "prompt_tokens_details",
                Json.tree(Map.of("cached_tokens", cached, "cache_write_tokens", written)),
                "cost",
                usage.path("cost"));
    }

    @Override
    public ReplyStream stream() {
        return new Events();
    }

    /** Events of a reply: a head, blocks that come in pieces, and changes to the head. */
    private static final class Events implements ReplyStream {
        private static final Map<String, String> PIECES =
                Map.of("text_delta", "text", "thinking_delta", "thinking", "input_json_delta", "partial_json");

        private final Map<Integer, ObjectNode> blocks = new TreeMap<>();
        private final Map<Integer, StringBuilder> texts = new TreeMap<>();
        private ObjectNode whole = ChatApi.object();

        @Override
        public boolean isLast(String data) {
            return data.contains("\"type\":\"message_stop\"") || data.contains("\"type\": \"message_stop\"");
        }

        @Override
        public int add(ObjectNode event) {
            int index = event.path("index").intValue(0);
            switch (event.path("type").stringValue("")) {
                case "message_start" -> {
                    whole = event.path("message") instanceof ObjectNode start ? start : whole;
                    blocks.clear(); // a proxy may put another behind the first
                    texts.clear();
                }
                case "content_block_start" -> {
                    if (event.path("content_block") instanceof ObjectNode block) {
                        blocks.put(index, block);
                        texts.put(
                                index, new StringBuilder(block.path(name(block)).stringValue("")));
                    }
                }
                case "content_block_delta" -> {
                    JsonNode delta = event.path("delta");
                    String name = PIECES.get(delta.path("type").stringValue(""));
                    if (name != null) {
                        texts.computeIfAbsent(index, any -> new StringBuilder())
                                .append(delta.path(name).stringValue(""));
                    }
                }
                case "message_delta" -> {
                    whole.setAll(fields(event.path("delta")));
                    whole.withObjectProperty("usage").setAll(fields(event.path("usage")));
                }
                case "error" -> whole.set("error", event.path("error"));
                default -> {}
            }
            return event.path("type").stringValue("").endsWith("delta") ? ChatApi.size(event) : ALL;
        }

        private static ObjectNode fields(JsonNode object) {
            return object instanceof ObjectNode fields ? fields : ChatApi.object();
        }

        @Override
        public ObjectNode reply() {
            ArrayNode content = whole.putArray("content");
            blocks.forEach((index, block) -> {
                String text = texts.getOrDefault(index, new StringBuilder()).toString();
                if (!text.isEmpty()) {
                    block.put(name(block), text);
                }
                content.add(block);
            });
            return whole;
        }

        /** The member that comes in pieces. */
        private static String name(ObjectNode block) {
            String type = block.path("type").stringValue("");
            return type.equals("thinking") || type.equals("text") ? type : "input";
        }

        @Override
        public boolean hasBegun() {
            return !blocks.isEmpty();
        }

        @Override
        public boolean tellsEnd() {
            return whole.path("stop_reason").isString();
        }
    }
}
