package dev.rlm.runs.exchange.transcript;

import dev.rlm.json.chat.MessageJson;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.MessageBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A message of a transcript.
 *
 * @param failed whether it tells of a tool call that failed
 * @param answered the request that it answers as a tool, where that was looked for
 */
public record ChatMessage(
        Message message,
        Instant time,
        boolean failed,
        @Nullable ToolRequest answered) {
    static final String SYSTEM = "system";
    public static final String ASSISTANT = "assistant";
    public static final String TOOL = "tool";
    public static final String USER = "user";

    private static final String THOUGHT_BEGINS = "<think>";
    private static final String THOUGHT_ENDS = "</think>";

    /** Beginning of a tool's answer that tells of a failure. */
    public static final String ERROR = "Error";

    public ChatMessage(Message message, Instant time, boolean failed) {
        this(message, time, failed, null);
    }

    static ChatMessage assistant(Content text, List<ToolRequest> requests, Instant time) {
        return new ChatMessage(new Message(ASSISTANT, text, requests, null), time, false);
    }

    static ChatMessage assistant(Message reply, Instant time) {
        Message said =
                MessageBuilder.builder(reply).role(ASSISTANT).toolCallId(null).build();
        return new ChatMessage(said, time, false);
    }

    /** Adds what the environment says, unless it has just been said. */
    static void hear(List<ChatMessage> said, Content text, Instant time) {
        if (!text.isEmpty() && (said.isEmpty() || !said.get(said.size() - 1).says(text))) {
            said.add(new ChatMessage(new Message(USER, text, List.of(), null), time, false));
        }
    }

    public boolean isAssistant() {
        return message.role().equals(ASSISTANT);
    }

    public boolean isTool() {
        return message.role().equals(TOOL);
    }

    boolean says(Content text) {
        return says(message, text);
    }

    /** Returns whether the message says that, apart from the thoughts that it begins with. */
    public static boolean says(Message message, Content text) {
        String all = message.content().text();
        int end = all.startsWith(THOUGHT_BEGINS) ? all.indexOf(THOUGHT_ENDS) : -1;
        return text.equals(message.content())
                || (end > 0
                        && all.substring(end + THOUGHT_ENDS.length())
                                .strip()
                                .equals(text.text().strip()));
    }

    ChatMessage at(Instant other) {
        return new ChatMessage(message, other, failed);
    }

    ChatMessage with(List<ToolRequest> requests) {
        return new ChatMessage(
                MessageBuilder.builder(message).toolCalls(requests).build(), time, failed);
    }

    /** The message in OpenAI's chat form. */
    public ObjectNode toJson() {
        ObjectNode json = MessageJson.json(message);
        if (failed && !message.content().text().startsWith(ERROR)) {
            json.put("is_error", true);
        }
        return json;
    }
}
