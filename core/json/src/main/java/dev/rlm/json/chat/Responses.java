package dev.rlm.json.chat;

import dev.rlm.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI's Responses. */
final class Responses implements ChatApi {
    private static final Set<String> LAST =
            Set.of("response.completed", "response.incomplete", "response.failed", "error");

    @Override
    public String provider() {
        return "openai";
    }

    @Override
    public ObjectNode request(ObjectNode request) {
        ObjectNode chat = request.deepCopy();
        chat.remove("input");
        chat.remove("instructions");
        ArrayNode messages = chat.putArray("messages");
        if (request.path("instructions").isString()) {
            messages.add(ChatApi.message("system").set("content", request.path("instructions")));
        }
        JsonNode input = request.path("input");
        if (input.isString()) {
            messages.add(ChatApi.message("user").set("content", input));
        }
        Json.elements(input).forEach(item -> add(item, messages));
        return chat;
    }

    private static void add(JsonNode item, ArrayNode messages) {
        switch (item.path("type").stringValue("message")) {
            case "message" -> {
                ObjectNode message = ChatApi.message(item.path("role").stringValue("user"));
                message.set("content", item.path("content"));
                messages.add(message);
            }
            case "function_call", "custom_tool_call" ->
                assistant(messages).withArrayProperty("tool_calls").add(call(item));
            case "function_call_output", "custom_tool_call_output" ->
                messages.add(ChatApi.message("tool")
                        .put("tool_call_id", item.path("call_id").stringValue(""))
                        .put("content", MessageJson.text(item.path("output"))));
            case "reasoning" -> {
                String thoughts = MessageJson.text(item.path("summary"));
                if (!thoughts.isEmpty()) {
                    messages.add(ChatApi.message("assistant").put("reasoning_content", thoughts));
                }
            }
            default -> {
                ObjectNode message = ChatApi.message("assistant");
                message.putArray("content").add(item); // which is kept as it is
                messages.add(message);
            }
        }
    }

    /** The assistant's message that a call is a part of. */
    private static ObjectNode assistant(ArrayNode messages) {
        JsonNode last = messages.path(messages.size() - 1);
        return last.path("role").stringValue("").equals("assistant")
                ? (ObjectNode) last
                : messages.addObject().put("role", "assistant");
    }

    private static ObjectNode call(JsonNode item) {
        return MessageJson.Call.of(item).json();
    }

    @Override
    public ObjectNode reply(ObjectNode reply) {
        ObjectNode message = ChatApi.message("assistant");
        List<String> thoughts = new ArrayList<>();
        for (JsonNode item : Json.elements(reply.path("output"))) {
            switch (item.path("type").stringValue("")) {
                case "message" -> message.withArrayProperty("content").addAll(Json.elements(item.path("content")));
                case "function_call", "custom_tool_call" ->
                    message.withArrayProperty("tool_calls").add(call(item));
                case "reasoning" ->
                    thoughts.add(MessageJson.text(item.path(item.path("summary").isEmpty() ? "content" : "summary")));
                default -> message.withArrayProperty("content").add(item);
            }
        }
        thoughts.removeIf(String::isEmpty);
        if (!thoughts.isEmpty()) {
            message.put("reasoning_content", String.join("\n", thoughts));
        }
        boolean calls = message.has("tool_calls");
        String reason = switch (reply.path("status").stringValue("")) {
            case "completed" -> calls ? "tool_calls" : "stop";
            case "incomplete" -> reply.path("incomplete_details").path("reason").stringValue("length");
            default -> null;
        };
        return ChatApi.reply(reply, message, reason, usage(reply.path("usage")));
    }

    private static Map<String, JsonNode> usage(JsonNode usage) {
        return Map.of(
                "prompt_tokens", usage.path("input_tokens"),
                "completion_tokens", usage.path("output_tokens"),
                "prompt_tokens_details", usage.path("input_tokens_details"),
                "completion_tokens_details", usage.path("output_tokens_details"),
                "cost", usage.path("cost"));
    }

    @Override
    public ReplyStream stream() {
        return new Events();
    }

    /** Events of a reply. The last one has it whole; where it does not come, its items and texts are what there is. */
    private static final class Events implements ReplyStream {
        private final Map<Integer, JsonNode> items = new TreeMap<>();
        private final Map<Integer, StringBuilder> texts = new TreeMap<>();
        private final Map<Integer, StringBuilder> arguments = new TreeMap<>(); // of calls that are not told whole
        private ObjectNode whole = ChatApi.object();

        @Override
        public boolean isLast(String data) {
            return LAST.stream()
                    .anyMatch(type ->
                            data.contains("\"type\":\"" + type + "\"") || data.contains("\"type\": \"" + type + "\""));
        }

        @Override
        public int add(ObjectNode event) {
            int index = event.path("output_index").intValue(0);
            switch (event.path("type").stringValue("")) {
                case "response.output_text.delta", "response.refusal.delta" ->
                    texts.computeIfAbsent(index, any -> new StringBuilder())
                            .append(event.path("delta").stringValue(""));
                case "response.output_item.added" -> {
                    if (event.path("item").has("call_id")) { // some tell the rest in pieces alone
                        items.putIfAbsent(index, event.path("item"));
                    }
                }
                case "response.output_item.done" -> items.put(index, event.path("item"));
                case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta" ->
                    arguments
                            .computeIfAbsent(index, any -> new StringBuilder())
                            .append(event.path("delta").stringValue(""));
                case "response.function_call_arguments.done", "response.custom_tool_call_input.done" -> {
                    String name = event.has("input") ? "input" : "arguments";
                    if (items.get(index) instanceof ObjectNode item) {
                        item.set(name, event.path(name));
                    }
                }
                case "error" -> whole.set("error", event);
                default -> {
                    if (event.path("response") instanceof ObjectNode response) {
                        whole = response;
                    }
                }
            }
            return event.path("type").stringValue("").endsWith("delta") ? ChatApi.size(event) : ALL;
        }

        @Override
        public boolean hasBegun() {
            return !items.isEmpty() || !texts.isEmpty() || whole.has("output");
        }

        @Override
        public boolean tellsEnd() {
            return false; // but by its last event
        }

        @Override
        public ObjectNode reply() {
            if (whole.path("output").isEmpty()) {
                arguments.forEach((index, text) -> {
                    JsonNode item = items.getOrDefault(index, ChatApi.object());
                    String name = item.has("input") ? "input" : "arguments";
                    if (item instanceof ObjectNode call
                            && item.path(name).stringValue("").isEmpty()) {
                        call.put(name, text.toString());
                    }
                });
                texts.forEach((index, text) -> items.computeIfAbsent(index, any -> {
                    ObjectNode item = ChatApi.object().put("type", "message");
                    item.putArray("content")
                            .addObject()
                            .put("type", "output_text")
                            .put("text", text.toString());
                    return item;
                }));
                whole.putArray("output").addAll(items.values());
            }
            return whole;
        }
    }
}
