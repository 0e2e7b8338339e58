package dev.rlm.runs.exchange.chat;

import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.RunReader;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.RunEvent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Reads conversations in the form that ShareGPT made known, as chats. */
public final class ShareGptReader implements RunReader {
    private static final String CONVERSATIONS = "conversations";
    private static final String SYSTEM = "system";
    private static final String CALL = "function_call";
    private static final List<String> FROM = List.of("from", "role");
    private static final List<String> VALUE = List.of("value", "content");
    private static final Set<String> MESSAGE = Set.of("from", "role", "value", "content");
    private static final Map<String, String> ROLES = Map.ofEntries(
            Map.entry("human", ChatMessage.USER),
            Map.entry(ChatMessage.USER, ChatMessage.USER),
            Map.entry("gpt", ChatMessage.ASSISTANT),
            Map.entry(ChatMessage.ASSISTANT, ChatMessage.ASSISTANT),
            Map.entry(CALL, ChatMessage.ASSISTANT),
            Map.entry(SYSTEM, SYSTEM),
            Map.entry("observation", ChatMessage.TOOL),
            Map.entry("function_response", ChatMessage.TOOL),
            Map.entry(ChatMessage.TOOL, ChatMessage.TOOL));

    private final ChatReader chats;
    private final Set<String> left = new LinkedHashSet<>(); // out of the line that was read last

    public ShareGptReader(ImportDefaults defaults) {
        this.chats = new ChatReader(defaults);
    }

    @Override
    public void line(JsonObject line, Consumer<List<RunEvent>> runs) throws BadRecordException {
        left.clear();
        if (!line.has(CONVERSATIONS)) {
            throw new BadRecordException("\"" + CONVERSATIONS + "\", a list");
        }
        ObjectNode chat = JsonNodeFactory.instance.objectNode();
        chat.setAll(line.tree());
        chat.remove(List.of(CONVERSATIONS, SYSTEM, "id"));
        if (!line.has(RunFields.SAMPLE)) {
            chat.put(RunFields.SAMPLE, line.text("id"));
        }
        ArrayNode messages = JsonNodeFactory.instance.arrayNode();
        String system = line.text(SYSTEM, "");
        if (!system.isBlank()) {
            messages.addObject().put("role", SYSTEM).put("content", system);
        }
        List<JsonNode> said = line.list(CONVERSATIONS);
        for (int i = 0; i < said.size(); i++) {
            try {
                messages.add(message(JsonObject.of(said.get(i), "a message")));
            } catch (BadRecordException e) {
                throw e.in(CONVERSATIONS + "[" + i + "]");
            }
        }
        chat.set(ChatReader.MESSAGES, messages);
        chats.line(new JsonObject(chat), runs);
        ChatFields.unknown(new JsonObject(chat), left::add);
    }

    @Override
    public void unknownFields(JsonObject line, Consumer<String> fields) {
        left.forEach(fields);
    }

    private ObjectNode message(JsonObject said) throws BadRecordException {
        String from = first(said, FROM);
        String role = ROLES.get(from);
        if (role == null) {
            throw new BadRecordException("\"from\" to be one of "
                    + String.join(", ", ROLES.keySet().stream().sorted().toList()) + ", found " + from);
        }
        JsonObject.unknown(said.tree(), MESSAGE, CONVERSATIONS + "[].", left::add);
        String value = first(said, VALUE);
        ObjectNode message = JsonNodeFactory.instance.objectNode().put("role", role);
        if (!from.equals(CALL)) {
            return message.put("content", value);
        }
        ArrayNode calls = message.putArray("tool_calls");
        JsonNode told = JsonObject.said(
                StringNode.valueOf(value),
                "the text of a JSON object with a \"name\" and \"arguments\", or of a list of such");
        for (JsonNode call : told.isArray() ? told.values() : List.of(told)) {
            calls.addObject().set("function", JsonObject.of(call, "each call").tree());
        }
        return message;
    }

    private static String first(JsonObject object, List<String> names) throws BadRecordException {
        for (String name : names) {
            if (object.has(name)) {
                return object.text(name, "");
            }
        }
        throw new BadRecordException("a \"" + names.get(0) + "\"");
    }
}
