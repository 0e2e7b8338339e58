package dev.rlm.gateway;

import dev.rlm.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Anthropic's Messages. */
final class Messages implements ModelApi {
    @Override
    public String provider() {
        return "anthropic";
    }

    @Override
    public ObjectNode request(ObjectNode request) {
        ObjectNode chat = request.deepCopy();
        chat.remove("system");
        ArrayNode messages = chat.putArray("messages");
        String system = ModelApi.text(request.path("system"));
        if (!system.isEmpty()) {
            messages.add(ModelApi.message("system").put("content", system));
        }
        for (JsonNode message : Json.elements(request.path("messages"))) {
            add(message, messages);
        }
        return chat;
    }

    /** Adds a message, and before it the results of tools that it holds, which are messages of their own. */
    private static void add(JsonNode from, ArrayNode messages) {
        ObjectNode message = ModelApi.message(from.path("role").stringValue("user"));
        ArrayNode content = message.putArray("content");
        for (JsonNode block : ModelApi.parts(from.path("content"))) {
            if (block.path("type").stringValue("").equals("tool_result")) {
                messages.add(ModelApi.message("tool")
                        .put("tool_call_id", block.path("tool_use_id").stringValue(""))
                        .put("is_error", block.path("is_error").booleanValue(false))
                        .put("content", result(block.path("content"))));
            } else {
                add(block, message, content);
            }
        }
        if (!content.isEmpty() || message.has("tool_calls") || message.has("reasoning_content")) {
            messages.add(message);
        }
    }

    private static void add(JsonNode block, ObjectNode message, ArrayNode content) {
        switch (block.path("type").stringValue("")) {
            case "text" ->
                content.addObject()
                        .put("type", "text")
                        .put("text", block.path("text").stringValue(""));
            case "tool_use" ->
                message.withArrayProperty("tool_calls")
                        .add(ModelApi.toolCall(
                                block.path("id").stringValue(""),
                                block.path("name").stringValue(""),
                                block.path("input").isString()
                                        ? block.path("input").stringValue()
                                        : Json.text(block.path("input"))));
            case "thinking" ->
                message.put("reasoning_content", block.path("thinking").stringValue(""));
            case "image" -> {
                JsonNode source = block.path("source");
                String url = source.path("url")
                        .stringValue("data:" + source.path("media_type").stringValue("") + ";base64,"
                                + source.path("data").stringValue(""));
                content.addObject()
                        .put("type", "image_url")
                        .putObject("image_url")
                        .put("url", url);
            }
            default ->
                content.addObject()
                        .put("type", "text")
                        .put("text", "[" + block.path("type").stringValue("") + "]");
        }
    }

    /** The text of a tool's result; what is none, such as a picture, by its name. */
    private static String result(JsonNode content) {
        return content.isArray()
                ? content.valueStream()
                        .map(part -> part.path("text")
                                .stringValue("[" + part.path("type").stringValue("") + "]"))
                        .collect(Collectors.joining("\n"))
                : ModelApi.text(content);
    }

    @Override
    public ObjectNode reply(ObjectNode reply) {
        ObjectNode message = ModelApi.message("assistant");
        ArrayNode content = message.putArray("content");
        Json.elements(reply.path("content")).forEach(block -> add(block, message, content));
        message.put("content", ModelApi.text(content));
        return ModelApi.reply(reply, message, reply.path("stop_reason").stringValue(null), usage(reply.path("usage")));
    }

    /** Tokens that are read from a cache, or written to one, are beside the input's there. */
    private static Map<String, Supplier<JsonNode>> usage(JsonNode usage) {
        long cached = usage.path("cache_read_input_tokens").longValue(0);
        long written = usage.path("cache_creation_input_tokens").longValue(0);
        Map<String, Supplier<JsonNode>> counts = new LinkedHashMap<>();
        if (usage.path("input_tokens").isNumber()) {
            long input = usage.path("input_tokens").longValue(0) + cached + written;
            counts.put("prompt_tokens", () -> Json.tree(input));
        }
        counts.put("completion_tokens", () -> usage.path("output_tokens"));
        counts.put(
                "prompt_tokens_details",
                () -> Json.tree(Map.of("cached_tokens", cached, "cache_creation_tokens", written)));
        counts.put("cost", () -> usage.path("cost"));
        return counts;
    }

    @Override
    public Stream stream() {
        return new Events();
    }

    /** Events of a reply: a head, blocks that come in pieces, and changes to the head. */
    private static final class Events implements Stream {
        private static final Map<String, String> PIECES =
                Map.of("text_delta", "text", "thinking_delta", "thinking", "input_json_delta", "partial_json");

        private final Map<Integer, ObjectNode> blocks = new TreeMap<>();
        private final Map<Integer, StringBuilder> texts = new TreeMap<>();
        private ObjectNode whole = ModelApi.object();

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
            return event.path("type").stringValue("").endsWith("delta") ? ModelApi.size(event) : ALL;
        }

        private static ObjectNode fields(JsonNode object) {
            return object instanceof ObjectNode fields ? fields : ModelApi.object();
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
        public boolean tellsEnd() {
            return whole.path("stop_reason").isString();
        }
    }
}
