package dev.rlm.server.rollout;

import dev.rlm.json.Json;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

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
    static List<Object> messages(ModelCalled call) {
        List<Object> messages = new ArrayList<>();
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

    private static JsonNode message(Message message) {
        ObjectNode told = MessageJson.json(message);
        if (told.path("content").isNull()) {
            told.put("content", "");
        }
        if (message.role().equals("assistant") && message.toolCalls().isEmpty()) {
            told.putNull("tool_calls");
        }
        int number = 0;
        for (JsonNode call : Json.elements(told.path("tool_calls"))) {
            String id = "call-" + number++; // readers take none without one
            if (call.path("id").stringValue("").isEmpty()) {
                ((ObjectNode) call).put("id", id);
            }
        }
        return told;
    }
}
