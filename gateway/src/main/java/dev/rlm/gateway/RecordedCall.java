package dev.rlm.gateway;

import dev.rlm.cli.rollout.LiveRollout;
import dev.rlm.json.Json;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Step;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A call that is forwarded, in the record: a step of its rollout's run. Safe for use by several threads. */
final class RecordedCall {
    private final LiveRollout rollout;
    private final Step step;
    private final ModelCall call;
    private boolean closed; // guarded by the rollout, as is all that is recorded

    private RecordedCall(LiveRollout rollout, Step step, ModelCall call) {
        this.rollout = rollout;
        this.step = step;
        this.call = call;
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
                            ModelApi.text(message.path("content")),
                            message.path("is_error").booleanValue(false)));
            JsonNode last = messages.path(messages.size() - 1);
            Step step = rollout.run().startStep(ModelApi.text(last.path("content")));
            ModelCall call = step.startModelCall(provider, model).server(host, port);
            ChatRecorder.request(chat, call);
            return new RecordedCall(rollout, step, call);
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
                return ModelApi.text(message.path("content"));
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
            JsonNode message = reply == null
                    ? ModelApi.object()
                    : reply.path("choices").path(0).path("message");
            List<JsonNode> requests = List.copyOf(Json.elements(message.path("tool_calls")));
            String text = ModelApi.text(message.path("content"));
            try {
                record(reply, error, text, requests);
            } finally {
                rollout.callEnded(error == null && requests.isEmpty(), error == null ? text : "");
            }
        }
    }

    private void record(@Nullable ObjectNode reply, @Nullable String error, String text, List<JsonNode> requests) {
        if (reply != null) {
            ChatRecorder.reply(reply, call);
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
                requests.isEmpty() ? "message" : ChatRecorder.tool(requests.get(0)),
                requests.isEmpty() ? text : ChatRecorder.arguments(requests.get(0)));
        for (int i = 0; i < requests.size(); i++) {
            startTool(requests.get(i), i);
        }
        step.complete("");
    }

    /** Starts the record of what the reply asks for; a later request tells its result. */
    private void startTool(JsonNode request, int place) {
        String id = ChatRecorder.id(request);
        String key = key(id, place);
        if (rollout.hasRoomFor(key)) {
            rollout.toolStarted(
                    key,
                    step.startToolCall(ChatRecorder.tool(request))
                            .callId(id.isEmpty() ? null : id)
                            .arguments(ChatRecorder.arguments(request)));
        }
    }
}
