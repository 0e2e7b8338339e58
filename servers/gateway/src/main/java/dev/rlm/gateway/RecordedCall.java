package dev.rlm.gateway;

import dev.rlm.json.Json;
import dev.rlm.json.chat.ChatReply;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.server.rollout.LiveRollout;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Step;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A call that is forwarded, in the record: a step of its rollout's run. Safe for use by several threads. */
final class RecordedCall {
    private static final Set<String> NO_PARAMETERS = Set.of("model", "messages", "tools", "functions");
    private static final int MAX_PARAMETER = 4_096;

    private final LiveRollout rollout;
    private final Step step;
    private final ModelCall call;
    private final String provider;
    private final String model;
    private boolean closed; // guarded by the rollout, as is all that is recorded

    private RecordedCall(LiveRollout rollout, Step step, ModelCall call, String provider, String model) {
        this.rollout = rollout;
        this.step = step;
        this.call = call;
        this.provider = provider;
        this.model = model;
    }

    /**
     * Records the beginning of a call, and the results of tools that it tells.
     *
     * @param rollout which knows of the call
     * @param chat the request as one for chat completions
     */
    static RecordedCall start(
            LiveRollout rollout, String provider, String model, String host, int port, ObjectNode chat) {
        synchronized (rollout) {
            JsonNode messages = chat.path("messages");
            results(messages)
                    .forEach((id, message) -> rollout.toolEnded(
                            id,
                            MessageJson.text(message.path("content")),
                            message.path("is_error").booleanValue(false)));
            JsonNode last = messages.path(messages.size() - 1);
            Step step = rollout.run().startStep(MessageJson.text(last.path("content")));
            ModelCall call = step.startModelCall(provider, model).server(host, port);
            record(chat, call);
            return new RecordedCall(rollout, step, call, provider, model);
        }
    }

    /**
     * Returns the messages of tools that have answered, by the ids of their calls: some servers give an id again in each turn, and its last answer
     * counts; for those that give none the place counts behind the assistant's last message.
     */
    private static Map<String, JsonNode> results(JsonNode messages) {
        Map<String, JsonNode> results = new LinkedHashMap<>();
        int place = 0;
        for (JsonNode message : Json.elements(messages)) {
            String role = message.path("role").stringValue("");
            if (role.equals("assistant")) {
                place = 0;
            } else if (role.equals("tool")) {
                results.put(key(message.path("tool_call_id").stringValue(""), place++), message);
            }
        }
        return results;
    }

    private static String key(String id, int place) {
        return id.isEmpty() ? "#" + place : id;
    }

    /** The first thing that a user says: what is asked of the agent. */
    static String task(ObjectNode chat) {
        for (JsonNode message : Json.elements(chat.path("messages"))) {
            if (message.path("role").stringValue("").equals("user")) {
                return MessageJson.text(message.path("content"));
            }
        }
        return "";
    }

    void firstToken() {
        call.firstToken();
    }

    /**
     * Records its end, the first time.
     *
     * @param reply as one of chat completions; {@code null} where nothing came
     * @param error {@code null} where it went well
     */
    void end(@Nullable ObjectNode reply, @Nullable String error) {
        synchronized (rollout) {
            if (closed) {
                return;
            }
            closed = true;
            List<ChatReply> choices = reply == null ? List.of() : ChatReply.choices(reply);
            List<MessageJson.Call> requests =
                    choices.isEmpty() ? List.of() : choices.get(0).toolCalls();
            String text = choices.isEmpty() ? "" : choices.get(0).text();
            try {
                record(choices, error, text, requests);
            } finally {
                rollout.callEnded(error == null && requests.isEmpty(), error == null ? text : "");
            }
        }
    }

    private static void record(ObjectNode chat, ModelCall call) {
        chat.properties().forEach(each -> {
            if (!NO_PARAMETERS.contains(each.getKey()) && !each.getValue().isNull()) {
                call.parameter(each.getKey(), parameter(each.getValue()));
            }
        });
        JsonNode tools = chat.path("tools");
        if (tools.isArray() && !tools.isEmpty()) {
            call.toolDefinitions(Json.text(tools));
        }
        Json.elements(chat.path("messages")).forEach(message -> MessageJson.show(message, call));
    }

    private static Object parameter(JsonNode value) {
        if (value.isNumber()) {
            return value.numberValue();
        } else if (value.isBoolean()) {
            return value.booleanValue();
        }
        String text = value.isString() ? value.stringValue() : Json.text(value);
        return text.length() <= MAX_PARAMETER ? text : text.substring(0, MAX_PARAMETER) + "…";
    }

    private void record(List<ChatReply> choices, @Nullable String error, String text, List<MessageJson.Call> requests) {
        for (int i = choices.size() - 1;
                i > 0;
                i--) { // of several that were asked for each is a call, which begins as the first does
            try (ModelCall other = step.startModelCall(provider, model)) {
                other.parameter("choice", i);
                choices.get(i).record(other);
                if (error != null) {
                    other.fail(error);
                }
            }
        }
        if (!choices.isEmpty()) {
            choices.get(0).record(call);
        }
        if (error != null) {
            call.fail(error);
            call.close();
            step.fail(error);
            step.close();
            return;
        }
        call.close();
        step.action(
                requests.isEmpty() ? "message" : requests.get(0).tool(),
                requests.isEmpty() ? text : requests.get(0).arguments());
        for (int i = 0; i < requests.size(); i++) {
            startTool(requests.get(i), i);
        }
        step.complete("");
    }

    /** Starts the record of what the reply asks for; a later request tells its result. */
    private void startTool(MessageJson.Call request, int place) {
        String id = request.id();
        String key = key(id, place);
        if (rollout.hasRoomFor(key)) {
            rollout.toolStarted(
                    key,
                    step.startToolCall(request.tool())
                            .callId(id.isEmpty() ? null : id)
                            .arguments(request.arguments()));
        }
    }
}
