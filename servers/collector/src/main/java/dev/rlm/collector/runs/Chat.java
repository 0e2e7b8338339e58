package dev.rlm.collector.runs;

import dev.rlm.json.Json;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Messages of models in the forms in which spans have them. */
final class Chat {
    private static final Map<String, String> LANG_CHAIN =
            Map.of("human", "user", "ai", Message.ASSISTANT, "system", "system", "tool", "tool");

    private Chat() {}

    /** Reads JSON that is an array of messages or parts; none where it is anything else. */
    static List<JsonNode> array(@Nullable String json) {
        if (json == null || !json.stripLeading().startsWith("[")) {
            return List.of();
        }
        try {
            return List.copyOf(
                    Json.elements(Json.REPLY.object("{\"a\":" + json + "}").path("a")));
        } catch (JacksonException e) { // it was cut, or is none
            return List.of();
        }
    }

    /** Reads JSON that is an object; {@code null} where it is anything else. */
    static @Nullable ObjectNode object(@Nullable String json) {
        try {
            return json == null ? null : Json.REPLY.object(json);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** Reads an array of messages. */
    static List<Message> messages(@Nullable String json) {
        return messages(array(json));
    }

    static List<Message> messages(Collection<JsonNode> messages) {
        return messages.stream().flatMap(each -> message(each, "user").stream()).toList();
    }

    /** Reads what may be an array of messages, or a request with one; none where they are not such that each has a role. */
    static List<Message> conversation(@Nullable String json) {
        ObjectNode request = object(json);
        Collection<JsonNode> told = request == null ? array(json) : Json.elements(request.path("messages"));
        List<JsonNode> messages = told.stream()
                .flatMap(each -> each.isArray() ? each.values().stream() : Stream.of(each))
                .map(Chat::ofLangChain)
                .toList();
        boolean all = messages.stream().allMatch(each -> each.path("role").isString());
        return all ? messages(messages) : List.of();
    }

    /** Reads the first reply of a model's answer, or of what LangChain makes of one; none where it is neither. */
    static List<Message> answer(@Nullable String json) {
        ObjectNode answer = object(json);
        if (answer == null) {
            return List.of();
        }
        JsonNode first = answer.path("generations").path(0);
        JsonNode held = answer.has("choices")
                ? answer.path("choices").path(0).path("message")
                : (first.isArray() ? first.path(0) : first).path("message");
        JsonNode said = ofLangChain(held.isObject() ? held : answer);
        return held.isObject() || said.path("role").isString() ? message(said, Message.ASSISTANT) : List.of();
    }

    /** Returns a message of LangChain's, also as it writes its objects, with the role that its type has; any other as it is. */
    private static JsonNode ofLangChain(JsonNode message) {
        JsonNode fields = message.path("lc").isNumber() ? message.path("kwargs") : message;
        String role = LANG_CHAIN.get(fields.path("type").stringValue(""));
        return role == null || fields.has("role") || !fields.isObject()
                ? fields
                : ((ObjectNode) fields).deepCopy().put("role", role);
    }

    /** Reads a message as the conventions have it, with parts, or as APIs of chat completions do, with a content. */
    static List<Message> message(JsonNode message, String usualRole) {
        return MessageJson.messages(message, usualRole, Content::redacted);
    }

    /** Puts together what the model said and what it asked for; none where neither is told. */
    static List<Message> reply(@Nullable String text, @Nullable String calls) {
        if (text == null && calls == null) {
            return List.of();
        }
        ObjectNode reply = JsonNodeFactory.instance.objectNode().put("role", "assistant");
        reply.put("content", text == null ? "" : text);
        reply.putArray("tool_calls").addAll(array(calls));
        return message(reply, "assistant");
    }

    /**
     * Reads messages that are spread over attributes with numbers, as OpenInference
     * ({@code llm.input_messages.0.message.role}) and OpenLLMetry ({@code gen_ai.prompt.0.role}) have them.
     *
     * @param attributes those below the prefix, so that each name begins with a number
     */
    static List<Message> indexed(Map<String, Object> attributes, String usualRole) {
        return byIndex(attributes).values().stream()
                .flatMap(each -> message(tree(each), usualRole).stream())
                .toList();
    }

    /** Reads such messages as one, of which each is an item. */
    static List<Message> joined(Map<String, Object> attributes, String role) {
        ObjectNode joined = JsonNodeFactory.instance.objectNode().put("role", role);
        byIndex(attributes).values().forEach(each -> {
            ObjectNode item = tree(each);
            joined.withArrayProperty("content").addAll(parts(item.path("content")));
            joined.withArrayProperty("tool_calls").addAll(Json.elements(item.path("tool_calls")));
        });
        return attributes.isEmpty() ? List.of() : message(joined, role);
    }

    private static Collection<JsonNode> parts(JsonNode content) {
        return content.isArray() ? content.values() : content.isMissingNode() ? List.of() : List.of(content);
    }

    /** Puts the fields of a message together as chat completions have them. */
    private static ObjectNode tree(Map<String, Object> fields) {
        ObjectNode message = JsonNodeFactory.instance.objectNode();
        for (String name : List.of("role", "tool_call_id", "content")) {
            Object value = fields.get(name);
            if (value != null) {
                message.put(name, value instanceof String text ? text : Json.text(value));
            }
        }
        List<JsonNode> parts = array(message.path("content").stringValue(null));
        if (!parts.isEmpty()
                && parts.stream().allMatch(part -> part.path("type").isString())) {
            message.putArray("content").addAll(parts); // told as the text of their JSON
        }
        byIndex(below(fields, "contents.")).values().forEach(each -> {
            Map<String, Object> part = below(each, "message_content.");
            Object image = part.get("image.image.url");
            ObjectNode made = contents(message).addObject();
            if (image != null) {
                made.put("type", "image_url").put("image_url", image.toString());
            } else {
                made.put("type", part.getOrDefault("type", "text").toString())
                        .put("text", part.containsKey("text") ? part.get("text").toString() : Json.text(each));
            }
        });
        byIndex(below(fields, "tool_calls.")).values().forEach(each -> {
            Map<String, Object> call = each.keySet().stream().anyMatch(name -> name.startsWith("tool_call."))
                    ? below(each, "tool_call.")
                    : each;
            Object tool = call.getOrDefault("function.name", call.getOrDefault("name", "?"));
            Object arguments = call.getOrDefault("function.arguments", call.getOrDefault("arguments", ""));
            message.withArrayProperty("tool_calls")
                    .addObject()
                    .put("id", call.getOrDefault("id", "").toString())
                    .put("name", tool.toString())
                    .put("arguments", arguments.toString());
        });
        return message;
    }

    /** The parts of a content, in the place of the text that is told beside them. */
    private static ArrayNode contents(ObjectNode message) {
        if (message.path("content") instanceof ArrayNode parts) {
            return parts;
        }
        return message.putArray("content");
    }

    private static Map<String, Object> below(Map<String, Object> fields, String prefix) {
        return fields.entrySet().stream()
                .filter(each -> each.getKey().startsWith(prefix))
                .collect(Collectors.toMap(each -> each.getKey().substring(prefix.length()), Map.Entry::getValue));
    }

    private static Map<Integer, Map<String, Object>> byIndex(Map<String, Object> attributes) {
        return attributes.entrySet().stream()
                .filter(each -> each.getKey().matches("\\d{1,6}\\..+"))
                .sorted(Comparator.comparing(Map.Entry::getKey))
                .collect(Collectors.groupingBy(
                        each -> Integer.valueOf(
                                each.getKey().substring(0, each.getKey().indexOf('.'))),
                        java.util.TreeMap::new,
                        Collectors.toMap(
                                each -> each.getKey()
                                        .substring(each.getKey().indexOf('.') + 1)
                                        .replaceFirst("^message\\.", ""),
                                Map.Entry::getValue,
                                (one, other) -> one)));
    }
}
