package dev.rlm.runs.exchange.chat;

import dev.rlm.json.Json;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.MessagePart;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads messages in OpenAI's chat form, also in its older one with functions in the place of tools. */
public final class ChatMessages {
    /** The field that tells whose a tool's call is. */
    static final String REQUESTOR = "requestor";

    private final ImportDefaults defaults;
    private final List<ChatMessage> said = new ArrayList<>();
    private final List<ToolRequest> open = new ArrayList<>(); // not answered yet

    private ChatMessages(ImportDefaults defaults) {
        this.defaults = defaults;
    }

    public static List<ChatMessage> of(List<JsonObject> messages, Times times, ImportDefaults defaults)
            throws BadRecordException {
        ChatMessages read = new ChatMessages(defaults);
        for (int i = 0; i < messages.size(); i++) {
            try {
                read.add(messages.get(i), times, i);
            } catch (BadRecordException e) {
                throw new BadRecordException(
                        String.valueOf(e.getMessage()).replaceFirst("expected ", "") + " in message " + (i + 1));
            }
        }
        return read.said;
    }

    private void add(JsonObject message, Times times, int index) throws BadRecordException {
        String role = message.text("role");
        if (role == null || role.isBlank()) {
            throw new BadRecordException("a \"role\" such as system, user, assistant or tool");
        }
        boolean tool = role.equals(ChatMessage.TOOL) || role.equals("function");
        check(message.get("content"));
        Message read = MessageJson.message(message.tree(), role, defaults::content);
        Boolean error = message.flag("is_error");
        List<ToolRequest> requests = requests(message, index);
        String id = tool ? callId(message) : null;
        Message made = new Message(read.role(), read.content(), requests, id, said(read));
        open.addAll(requests);
        boolean failed = error == null ? read.content().text().startsWith(ChatMessage.ERROR) : error;
        ToolRequest answered = tool ? answered(id, message) : null;
        said.add(new ChatMessage(made, times.messages().get(index), failed && answered != null, answered));
    }

    /** All that it says but its calls, which are told with ids; none where a text says it. */
    private static List<MessagePart> said(Message read) {
        List<MessagePart> said = read.parts().stream()
                .filter(part -> part.type() != MessagePart.Type.TOOL_CALL)
                .toList();
        return said.stream().allMatch(MessagePart::isText) ? List.of() : said;
    }

    /**
     * The latest request of that id; where there is none, one that tells the tool's name. {@code null} if it is not the agent's:
     * users that are simulated have tools of their own.
     */
    private @Nullable ToolRequest answered(@Nullable String id, JsonObject message) throws BadRecordException {
        for (int i = said.size() - 1; i >= 0; i--) {
            for (ToolRequest request : said.get(i).message().toolCalls()) {
                if (request.id().equals(id)) {
                    return said.get(i).isAssistant() ? request : null;
                }
            }
        }
        String tool = message.text("name", "");
        return message.text(REQUESTOR, ChatMessage.ASSISTANT).equals(ChatMessage.USER)
                ? null
                : new ToolRequest("", tool.isEmpty() ? "unknown" : defaults.name(tool), Content.EMPTY);
    }

    private static void check(JsonNode content) throws BadRecordException {
        if (!content.isNull() && !content.isMissingNode() && !content.isString() && !content.isArray()) {
            throw new BadRecordException("\"content\" to be a text or a list of parts");
        }
        for (JsonNode part : Json.elements(content)) {
            if (!part.isString()) {
                JsonObject.of(part, "each part of \"content\"");
            }
        }
    }

    private List<ToolRequest> requests(JsonObject message, int index) throws BadRecordException {
        List<ToolRequest> requests = new ArrayList<>();
        for (JsonNode told : said(message.get("tool_calls"))) {
            JsonObject call = JsonObject.of(said(told), "all of \"tool_calls\"");
            JsonObject function =
                    call.has("function") ? JsonObject.of(said(call.get("function")), "\"function\"") : call;
            String id = call.text("id", "");
            requests.add(request(id.isEmpty() ? "call-" + (index + 1) + "-" + (requests.size() + 1) : id, function));
        }
        if (message.has("function_call")) {
            requests.add(request("call-" + (index + 1), message.object("function_call")));
        }
        return requests;
    }

    /** Calls of tools, which some programs write as texts of JSON. */
    private static JsonNode said(JsonNode calls) throws BadRecordException {
        return JsonObject.said(calls, "\"tool_calls\" to be JSON");
    }

    private ToolRequest request(String id, JsonObject function) throws BadRecordException {
        String name = function.text("name");
        if (name == null || name.isBlank()) {
            throw new BadRecordException("a \"name\" in each tool call");
        }
        JsonNode arguments = function.get("arguments");
        String text = arguments.isContainer() ? Json.text(arguments) : function.text("arguments", "");
        return new ToolRequest(id, defaults.name(name), defaults.content(text));
    }

    /** The id of the request that is answered; where it is not told, the message's own if it is one's, else that of the first that has no answer yet. */
    private @Nullable String callId(JsonObject message) throws BadRecordException {
        String told = message.text("tool_call_id");
        String own = message.text("id");
        boolean isAnswer = open.stream().anyMatch(request -> request.id().equals(own));
        String id = told != null
                ? told
                : isAnswer ? own : open.isEmpty() ? null : open.get(0).id();
        open.removeIf(request -> request.id().equals(id));
        return id;
    }
}
