package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.MessageBuilder;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.schema.EventField;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A message of a transcript.
 *
 * @param failed whether it tells of a tool call that failed
 */
record Said(Message message, Instant time, boolean failed) {
    static final String ASSISTANT = "assistant";
    static final String TOOL = "tool";
    static final String USER = "user";

    private static final String THOUGHT_BEGINS = "<think>";
    private static final String THOUGHT_ENDS = "</think>";

    /** How a tool's answer begins that tells of a failure. */
    static final String ERROR = "Error";

    static Said user(Content text, Instant time) {
        return new Said(new Message(USER, text, List.of(), null), time, false);
    }

    static Said assistant(Content text, List<ToolRequest> requests, Instant time) {
        return new Said(new Message(ASSISTANT, text, requests, null), time, false);
    }

    static Said assistant(Message reply, Instant time) {
        Message said =
                MessageBuilder.builder(reply).role(ASSISTANT).toolCallId(null).build();
        return new Said(said, time, false);
    }

    boolean isAssistant() {
        return message.role().equals(ASSISTANT);
    }

    boolean isTool() {
        return message.role().equals(TOOL);
    }

    boolean says(Content text) {
        return says(message, text);
    }

    /** Returns whether the message says that, apart from the thoughts that it begins with. */
    static boolean says(Message message, Content text) {
        String all = message.content().text();
        int end = all.startsWith(THOUGHT_BEGINS) ? all.indexOf(THOUGHT_ENDS) : -1;
        return text.equals(message.content())
                || (end > 0
                        && all.substring(end + THOUGHT_ENDS.length())
                                .strip()
                                .equals(text.text().strip()));
    }

    Said at(Instant other) {
        return new Said(message, other, failed);
    }

    Said with(List<ToolRequest> requests) {
        return new Said(MessageBuilder.builder(message).toolCalls(requests).build(), time, failed);
    }

    /** The message in OpenAI's chat form. */
    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        boolean calls = !message.toolCalls().isEmpty();
        Object content = content();
        json.put("role", message.role());
        json.put("content", calls && content.equals(Content.EMPTY) ? null : content);
        if (calls) {
            json.put(
                    "tool_calls", message.toolCalls().stream().map(Said::toJson).toList());
        }
        if (message.toolCallId() != null) {
            json.put("tool_call_id", message.toolCallId());
        }
        if (failed && !message.content().text().startsWith(ERROR)) {
            json.put("is_error", true);
        }
        return json;
    }

    /** The text; where there are images and the like, a list of both. Thoughts and calls have no place in it. */
    private Object content() {
        return message.parts().stream().noneMatch(part -> part.type().isMedia())
                ? message.content()
                : message.parts().stream()
                        .filter(part -> part.type().isMedia() || part.isText())
                        .map(Said::toJson)
                        .toList();
    }

    /** A part in the form of which {@code image_url} is the best known. */
    private static Map<String, Object> toJson(MessagePart part) {
        Map<String, Object> json = new LinkedHashMap<>();
        if (part.type().isMedia()) {
            String type = EventField.word(part.type()) + "_url";
            json.put("type", type);
            json.put(type, Map.of("url", part.uri() == null ? "" : part.uri()));
        } else {
            json.put("type", "text");
            json.put("text", part.text());
        }
        return json;
    }

    private static Map<String, Object> toJson(ToolRequest request) {
        Map<String, Object> function = new LinkedHashMap<>();
        function.put("name", request.tool());
        function.put("arguments", request.arguments());
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", request.id());
        json.put("type", "function");
        json.put("function", function);
        return json;
    }

    /** Whether something stands in it in the place of a secret. */
    static boolean isRedacted(Message message) {
        return texts(message).anyMatch(Content::isRedacted);
    }

    /** Whether the middle of one of its texts was left out because it was too long. */
    static boolean isCut(Message message) {
        return texts(message).anyMatch(Content::isCut);
    }

    private static Stream<Content> texts(Message message) {
        return Stream.of(
                        Stream.of(message.content()),
                        message.toolCalls().stream().map(ToolRequest::arguments),
                        message.parts().stream().map(MessagePart::text))
                .flatMap(each -> each);
    }
}
