package dev.rlm.collector.runs;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Messages of models in the forms in which spans have them. */
final class Chat {
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
        return array(json).stream().map(each -> message(each, "user")).toList();
    }

    /** Reads a message as the conventions have it, with parts, or as APIs of chat completions do, with a content. */
    static Message message(JsonNode message, String usualRole) {
        String role = text(message.path("role"), usualRole);
        List<MessagePart> parts = new ArrayList<>();
        JsonNode said = message.has("parts") ? message.path("parts") : message.path("content");
        if (said.isArray()) {
            said.forEach(part -> parts.add(part(part)));
        } else if (!said.isMissingNode() && !said.isNull()) {
            parts.add(text(MessagePart.Type.TEXT, asText(said)));
        }
        for (JsonNode call : Json.elements(message.path("tool_calls"))) {
            JsonNode function = call.has("function") ? call.path("function") : call;
            parts.add(call(text(call.path("id"), ""), text(function.path("name"), "?"), function.path("arguments")));
        }
        String answered =
                message.path("tool_call_id").stringValue(message.path("id").stringValue(null));
        boolean tool = role.equals("tool") && parts.stream().allMatch(part -> part.type() == MessagePart.Type.TEXT);
        return new Message(role.isBlank() ? usualRole : role, Content.EMPTY, List.of(), tool ? answered : null, parts);
    }

    private static MessagePart part(JsonNode part) {
        String type = text(part.path("type"), "text").toLowerCase(Locale.ROOT);
        String id = text(part.path("id"), "");
        return switch (type) {
            case "text", "output_text", "input_text" ->
                text(MessagePart.Type.TEXT, asText(part.has("content") ? part.path("content") : part.path("text")));
            case "reasoning", "thinking" ->
                text(
                        MessagePart.Type.REASONING,
                        asText(part.has("content") ? part.path("content") : part.path("text")));
            case "tool_call", "tool_use" ->
                call(
                        id,
                        text(part.path("name"), "?"),
                        part.has("arguments") ? part.path("arguments") : part.path("input"));
            case "tool_call_response", "tool_result" -> {
                String answer = asText(
                        part.has("response")
                                ? part.path("response")
                                : part.has("result") ? part.path("result") : part.path("content"));
                yield new MessagePart(
                        MessagePart.Type.TOOL_RESULT, Content.redacted(answer), id, null, null, null, null);
            }
            case "uri", "blob", "file", "image_url", "image" ->
                new MessagePart(
                        media(part.path("modality").stringValue(type)),
                        null,
                        null,
                        null,
                        part.path("uri").stringValue(null),
                        part.path("mime_type").stringValue(null),
                        part.path("sha256").stringValue(null));
            default -> text(MessagePart.Type.TEXT, Json.text(part));
        };
    }

    private static MessagePart.Type media(String modality) {
        return modality.startsWith("image")
                ? MessagePart.Type.IMAGE
                : modality.startsWith("audio") ? MessagePart.Type.AUDIO : MessagePart.Type.FILE;
    }

    private static MessagePart text(MessagePart.Type type, String text) {
        return new MessagePart(type, Content.redacted(text), null, null, null, null, null);
    }

    private static MessagePart call(String id, String tool, JsonNode arguments) {
        Content given = Content.redacted(asText(arguments));
        return new MessagePart(MessagePart.Type.TOOL_CALL, given, id, tool, null, null, null);
    }

    private static String text(JsonNode value, String absent) {
        return value.stringValue(absent);
    }

    private static String asText(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? "" : value.isString() ? value.stringValue() : Json.text(value);
    }

    /**
     * Reads messages that are spread over attributes with numbers, as OpenInference
     * ({@code llm.input_messages.0.message.role}) and OpenLLMetry ({@code gen_ai.prompt.0.role}) have them.
     *
     * @param attributes those below the prefix, so that each name begins with a number
     */
    static List<Message> indexed(Map<String, Object> attributes, String usualRole) {
        Map<Integer, Map<String, Object>> byIndex = byIndex(attributes);
        return byIndex.values().stream()
                .map(each -> indexedMessage(each, usualRole))
                .toList();
    }

    /** Reads such messages as one, of which each is an item. */
    static List<Message> joined(Map<String, Object> attributes, String role) {
        List<MessagePart> parts = byIndex(attributes).values().stream()
                .flatMap(each -> indexedParts(each).stream())
                .toList();
        return attributes.isEmpty() ? List.of() : List.of(new Message(role, Content.EMPTY, List.of(), null, parts));
    }

    private static Message indexedMessage(Map<String, Object> fields, String usualRole) {
        Object answered = fields.get("tool_call_id");
        String role = fields.getOrDefault("role", usualRole).toString();
        return new Message(
                role.isBlank() ? usualRole : role,
                Content.EMPTY,
                List.of(),
                answered == null ? null : answered.toString(),
                indexedParts(fields));
    }

    private static List<MessagePart> indexedParts(Map<String, Object> fields) {
        List<MessagePart> parts = new ArrayList<>();
        Object content = fields.get("content");
        if (content != null && !content.toString().isEmpty()) {
            parts.add(text(MessagePart.Type.TEXT, content instanceof String text ? text : Json.text(content)));
        }
        byIndex(below(fields, "contents.")).values().forEach(each -> {
            Object text = each.get("message_content.text");
            parts.add(text(MessagePart.Type.TEXT, text == null ? Json.text(each) : text.toString()));
        });
        byIndex(below(fields, "tool_calls.")).values().forEach(each -> {
            Map<String, Object> call = each.keySet().stream().anyMatch(name -> name.startsWith("tool_call."))
                    ? below(each, "tool_call.")
                    : each;
            Object tool = call.getOrDefault("function.name", call.getOrDefault("name", "?"));
            Object arguments = call.getOrDefault("function.arguments", call.getOrDefault("arguments", ""));
            parts.add(new MessagePart(
                    MessagePart.Type.TOOL_CALL,
                    Content.redacted(arguments.toString()),
                    call.getOrDefault("id", "").toString(),
                    tool.toString(),
                    null,
                    null,
                    null));
        });
        return parts;
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
