package dev.rlm.runner.openai;

import dev.rlm.cli.json.JsonTree;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Observation;
import dev.rlm.sinks.ModelCall;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** What was said so far, as the model is shown it. Used by one thread. */
final class Conversation {
    private final boolean withReasoning;
    private final List<Map<String, @Nullable Object>> messages = new ArrayList<>();

    /**
     * A conversation.
     *
     * @param instructions what the model is told before all else; none where they are empty
     * @param withReasoning whether it is shown its own thoughts again
     */
    Conversation(String instructions, boolean withReasoning) {
        this.withReasoning = withReasoning;
        if (!instructions.isEmpty()) {
            say("system", instructions);
        }
    }

    /** The model sees what came of its last turn, or the task. */
    void sees(Observation seen) {
        boolean asked = seen.done().stream().anyMatch(done -> done.action().callId() != null);
        if (!asked) {
            say("user", seen.text());
            return;
        }
        for (Observation.Done done : seen.done()) {
            Answer answer = done.answer();
            say("tool", answer.observation()).put("tool_call_id", done.action().callId());
        }
    }

    private Map<String, @Nullable Object> say(String role, String text) {
        Map<String, @Nullable Object> message = new LinkedHashMap<>();
        message.put("role", role);
        message.put("content", text);
        messages.add(message);
        return message;
    }

    /** The model has replied. */
    void replied(Reply reply) {
        Map<String, @Nullable Object> message = say("assistant", reply.text());
        if (withReasoning && !reply.reasoning().isEmpty()) {
            message.put(reply.reasoningField(), reply.reasoning());
        }
        if (!reply.requests().isEmpty()) {
            message.put("content", reply.text().isEmpty() ? null : reply.text());
            message.put(
                    "tool_calls",
                    reply.requests().stream().map(Conversation::request).toList());
        }
    }

    private static Map<String, Object> request(Reply.Request request) {
        Map<String, Object> function = new LinkedHashMap<>();
        function.put("name", request.tool());
        function.put("arguments", shown(request.arguments()));
        Map<String, Object> call = new LinkedHashMap<>();
        call.put("id", request.id());
        call.put("type", "function");
        call.put("function", function);
        return call;
    }

    /** Servers parse these again, and refuse the whole conversation where one is no JSON object. */
    private static String shown(String arguments) {
        try {
            JsonTree.object(arguments);
            return arguments;
        } catch (JacksonException e) {
            return JsonTree.text(Map.of("malformed", arguments));
        }
    }

    /** The messages as the protocol has them. */
    List<Map<String, @Nullable Object>> messages() {
        return messages;
    }

    /** Records what the model is shown. */
    void showTo(ModelCall call) {
        for (Map<String, @Nullable Object> each : messages) {
            Fields message = new Fields(each);
            String text = String.valueOf(message.text("content") == null ? "" : message.text("content"));
            String callId = message.text("tool_call_id");
            if (callId != null) {
                call.toolMessage(callId, text);
            } else {
                call.message(String.valueOf(message.text("role")), text);
            }
            for (Fields request : message.objects("tool_calls")) {
                Fields function = request.object("function");
                call.shownToolRequest(
                        String.valueOf(request.text("id")),
                        String.valueOf(function.text("name")),
                        String.valueOf(function.text("arguments")));
            }
        }
    }
}
