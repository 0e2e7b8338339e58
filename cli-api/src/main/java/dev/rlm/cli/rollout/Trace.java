package dev.rlm.cli.rollout;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** A call in the form in which trainers read traces: messages as in OpenAI's chat completions. */
final class Trace {
    private Trace() {}

    static Map<String, Object> of(ModelCalled call, RolloutIds ids) {
        Map<String, Object> trace = new LinkedHashMap<>();
        trace.put("id", call.run().runId() + "-" + call.seq());
        trace.put("name", "chat");
        trace.put("tags", ids.tags());
        trace.put("timestamp", call.time().toString());
        trace.put("input", Map.of("messages", messages(call), "tools", tools(call.toolDefinitions())));
        trace.put("output", call.reply() == null ? null : message(call.reply()));
        trace.put("metadata", null);
        trace.put("observations", List.of());
        return trace;
    }

    /** Returns what the model was shown. */
    static List<Map<String, Object>> messages(ModelCalled call) {
        List<Map<String, Object>> messages = new ArrayList<>();
        if (call.systemInstructions() != null) {
            messages.add(Map.of(
                    "role", "system", "content", call.systemInstructions().text()));
        }
        call.messages().forEach(each -> messages.add(message(each)));
        return messages;
    }

    private static Object tools(@Nullable Content definitions) {
        try {
            return definitions == null
                    ? List.of()
                    : Json.REPLY
                            .object("{\"tools\":" + definitions.text() + "}")
                            .path("tools");
        } catch (JacksonException e) {
            return List.of(); // cut, or a secret was taken out
        }
    }

    private static Map<String, Object> message(Message message) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("role", message.role());
        boolean media = message.parts().stream().anyMatch(part -> part.type().isMedia());
        told.put("content", media ? parts(message) : message.content().text());
        if (message.toolCallId() != null) {
            told.put("tool_call_id", message.toolCallId());
        }
        if (message.role().equals("assistant")) {
            told.put("tool_calls", message.toolCalls().isEmpty() ? null : calls(message));
        }
        return told;
    }

    private static List<Map<String, Object>> calls(Message message) {
        List<Map<String, Object>> calls = new ArrayList<>();
        for (Message.ToolRequest call : message.toolCalls()) {
            String id = call.id().isEmpty() ? "call-" + calls.size() : call.id(); // readers take none without an id
            calls.add(Map.of(
                    "id",
                    id,
                    "type",
                    "function",
                    "function",
                    Map.of("name", call.tool(), "arguments", call.arguments().text())));
        }
        return calls;
    }

    private static List<Map<String, Object>> parts(Message message) {
        List<Map<String, Object>> parts = new ArrayList<>();
        for (MessagePart part : message.parts()) {
            if (part.type() == MessagePart.Type.IMAGE) {
                parts.add(Map.of("type", "image_url", "image_url", Map.of("url", String.valueOf(part.uri()))));
            } else if (part.isText()) {
                parts.add(Map.of("type", "text", "text", part.text().text()));
            }
        }
        return parts;
    }
}
