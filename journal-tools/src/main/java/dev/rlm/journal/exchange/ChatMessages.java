package dev.rlm.journal.exchange;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MessagePartBuilder;
import dev.rlm.sinks.schema.EventField;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads messages in OpenAI's chat form, also in its older one with functions in the place of tools. */
final class ChatMessages {
    /** Fields of a message that tell what the model thought before it spoke. */
    static final List<String> THOUGHTS = List.of("reasoning_content", "reasoning", "thinking");

    private static final List<MessagePart.Type> MEDIA = Stream.of(MessagePart.Type.values())
            .filter(MessagePart.Type::isMedia)
            .toList();
    private static final String DATA = "data:";

    private final ImportDefaults defaults;
    private final List<ChatMessage> said = new ArrayList<>();
    private final List<ToolRequest> open = new ArrayList<>(); // not answered yet

    private ChatMessages(ImportDefaults defaults) {
        this.defaults = defaults;
    }

    static List<ChatMessage> of(List<JsonObject> messages, Times times, ImportDefaults defaults)
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
        List<MessagePart> parts = new ArrayList<>();
        THOUGHTS.stream()
                .map(name -> message.get(name).stringValue(""))
                .filter(thought -> !thought.isBlank())
                .distinct()
                .forEach(thought -> parts.add(part(MessagePart.Type.REASONING, thought)));
        String text = content(message.get("content"), parts);
        Boolean error = message.flag("is_error");
        List<ToolRequest> requests = requests(message, index);
        String id = tool ? callId(message) : null;
        Message made = new Message(tool ? ChatMessage.TOOL : role, defaults.content(text), requests, id, parts);
        open.addAll(requests);
        said.add(new ChatMessage(
                made,
                times.messages().get(index),
                tool && (error == null ? text.startsWith(ChatMessage.ERROR) : error),
                tool ? answered(id, message.text("name", "")) : null));
    }

    private MessagePart part(MessagePart.Type type, String text) {
        return MessagePartBuilder.builder()
                .type(type)
                .content(defaults.content(text))
                .build();
    }

    /** The latest request of that id; where there is none, one that tells the tool's name. */
    private ToolRequest answered(@Nullable String id, String tool) {
        for (int i = said.size() - 1; i >= 0; i--) {
            for (ToolRequest request : said.get(i).message().toolCalls()) {
                if (request.id().equals(id)) {
                    return request;
                }
            }
        }
        return new ToolRequest("", tool.isEmpty() ? "unknown" : defaults.name(tool), Content.EMPTY);
    }

    /**
     * The text: of several parts joined, with the name of a part that is neither a text nor a reference.
     *
     * @param all takes the parts where it has thoughts already, or where one refers to an image, an audio or a file; else
     *     none, since the text says all
     */
    private String content(JsonNode content, List<MessagePart> all) throws BadRecordException {
        boolean plain = all.isEmpty();
        if (content.isNull() || content.isMissingNode() || content.isString()) {
            String text = content.stringValue("");
            all.addAll(plain || text.isEmpty() ? List.of() : List.of(part(MessagePart.Type.TEXT, text)));
            return text;
        } else if (!content.isArray()) {
            throw new BadRecordException("\"content\" to be a text or a list of parts");
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode part : content) {
            MessagePart media = media(part);
            if (media == null) {
                texts.add(text(part));
                media = part(MessagePart.Type.TEXT, text(part));
            }
            all.add(media);
        }
        if (plain && all.size() == texts.size()) {
            all.clear();
        }
        return String.join("\n", texts);
    }

    /** The reference that the part is; {@code null} where it is none. Data within an address is not kept. */
    private @Nullable MessagePart media(JsonNode part) {
        for (MessagePart.Type type : MEDIA) {
            String uri = uri(part, type);
            if (!uri.startsWith(DATA)) {
                return MessagePartBuilder.builder()
                        .type(type)
                        .uri(defaults.name(uri))
                        .build();
            }
        }
        return null;
    }

    private static String uri(JsonNode part, MessagePart.Type type) {
        JsonNode place = part.path(EventField.word(type) + "_url");
        return (place.isObject() ? place.path("url") : place).stringValue(DATA);
    }

    /** Returns whether a part is more than its name here. */
    static boolean isKept(JsonNode part) {
        return !part.isObject()
                || part.path("text").isString()
                || MEDIA.stream().anyMatch(type -> !uri(part, type).startsWith(DATA));
    }

    private static String text(JsonNode part) throws BadRecordException {
        if (part.isString()) {
            return part.stringValue();
        }
        JsonObject object = JsonObject.of(part, "each part of \"content\"");
        return object.get("text").isString()
                ? object.get("text").stringValue()
                : "[" + object.text("type", "part") + "]";
    }

    private List<ToolRequest> requests(JsonObject message, int index) throws BadRecordException {
        List<ToolRequest> requests = new ArrayList<>();
        for (JsonObject call : message.objects("tool_calls")) {
            JsonObject function = call.has("function") ? call.object("function") : call;
            String id = call.text("id", "");
            requests.add(request(id.isEmpty() ? "call-" + (index + 1) + "-" + (requests.size() + 1) : id, function));
        }
        if (message.has("function_call")) {
            requests.add(request("call-" + (index + 1), message.object("function_call")));
        }
        return requests;
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

    /** The id of the request that is answered; where it is not told, that of the first that has no answer yet. */
    private @Nullable String callId(JsonObject message) throws BadRecordException {
        String told = message.text("tool_call_id");
        String id = told != null || open.isEmpty() ? told : open.get(0).id();
        open.removeIf(request -> request.id().equals(id));
        return id;
    }
}
