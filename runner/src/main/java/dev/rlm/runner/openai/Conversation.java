package dev.rlm.runner.openai;

import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Observation;
import dev.rlm.json.Json;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.sinks.ModelCall;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** All that was said so far, as the model is shown it. Used by one thread. */
final class Conversation {
    private final boolean withReasoning;
    private final ArrayNode messages = JsonNodeFactory.instance.arrayNode();
    private final boolean given;

    /**
     * Begins with the instructions, unless they are empty.
     *
     * @param withReasoning whether the model is shown its own thoughts again
     */
    Conversation(String instructions, boolean withReasoning) {
        this.withReasoning = withReasoning;
        this.given = false;
        if (!instructions.isEmpty()) {
            say("system", instructions);
        }
    }

    /** Begins with these messages, in the place of what is seen first. */
    Conversation(ArrayNode messages, boolean withReasoning) {
        this.withReasoning = withReasoning;
        this.given = true;
        this.messages.addAll(messages.deepCopy());
    }

    /** The model sees what came of its last turn, or the task. */
    void sees(Observation seen) {
        if (given && seen.done().isEmpty()) {
            return;
        }
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

    private ObjectNode say(String role, String text) {
        return messages.addObject().put("role", role).put("content", text);
    }

    /** The model has replied. */
    void replied(Reply reply) {
        ObjectNode message = say("assistant", reply.text());
        if (withReasoning && !reply.reasoning().isEmpty()) {
            message.put(reply.reasoningField(), reply.reasoning());
        }
        if (!reply.requests().isEmpty()) {
            message.put("content", reply.text().isEmpty() ? null : reply.text());
            ArrayNode calls = message.putArray("tool_calls");
            for (MessageJson.Call request : reply.requests()) {
                calls.add(new MessageJson.Call(request.id(), request.tool(), shown(request.arguments())).json());
            }
        }
    }

    /** Servers parse these again, and refuse the whole conversation where one is no JSON object. */
    private static String shown(String arguments) {
        try {
            Json.REPLY.object(arguments);
            return arguments;
        } catch (JacksonException e) {
            return Json.text(Map.of("malformed", arguments));
        }
    }

    /** The messages as the protocol has them. */
    JsonNode messages() {
        return messages;
    }

    /** Records what the model is shown. */
    void showTo(ModelCall call) {
        messages.forEach(message -> MessageJson.show(message, call));
    }
}
