package dev.rlm.runs.exchange.agents;

import dev.rlm.json.Json;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Recording;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A step of rlm-code: what the model said, what was done, and what came of it.
 *
 * @param acted when the action began
 * @param error why it failed; {@code null} where it did not
 * @param seconds how long the action took; {@code null} where that is not told
 * @param isRewarded whether a reward was given, which may be absent
 * @param reply what the model said; {@code null} where that was not kept
 * @param parameters of the model's call: the prompt was not kept, but for its length and hash
 */
record RlmCodeStep(
        Instant acted,
        String action,
        Content code,
        Content output,
        @Nullable Content error,
        @Nullable Double seconds,
        boolean isRewarded,
        @Nullable Double reward,
        @Nullable Message reply,
        Map<String, Object> parameters,
        Usage usage) {
    private static final List<String> CODES = List.of("code", "command", "content", "final_response", "task");
    private static final List<String> OUTPUTS = List.of("stdout", "message", "content");
    private static final double NANOS = 1e9;

    static RlmCodeStep of(JsonObject line, ImportDefaults defaults) throws BadRecordException {
        JsonObject action = line.object("action");
        JsonObject observation = line.object("observation");
        JsonObject usage = line.object("usage");
        String error = error(observation);
        String reply = line.text("planner_raw");
        return new RlmCodeStep(
                time(line),
                defaults.name(action.text("action", "")),
                defaults.content(code(action)),
                defaults.content(output(observation)),
                error == null ? null : defaults.content(error),
                observation.decimal("execution_time"),
                line.tree().has("reward"),
                line.decimal("reward"),
                reply == null ? null : new Message(ChatMessage.ASSISTANT, defaults.content(reply), List.of(), null),
                defaults.known(
                        "prompt_chars", line.number("root_prompt_chars"),
                        "prompt_sha256", line.text("root_prompt_sha256"),
                        "calls", usage.number("total_calls")),
                new Usage(usage.number("prompt_tokens"), usage.number("completion_tokens"), null, null));
    }

    /** Returns the time at which what a line tells happened. */
    static Instant time(JsonObject line) throws BadRecordException {
        Instant time = Times.time(line.get("timestamp"));
        if (time == null) {
            throw new BadRecordException("a \"timestamp\"");
        }
        return time;
    }

    /** The action's own text; of an action that has none, such as one with several tasks, its fields. */
    private static String code(JsonObject action) throws BadRecordException {
        for (String name : CODES) {
            String text = action.text(name, "");
            if (!text.isEmpty()) {
                return text;
            }
        }
        return json(action, List.of("action", "rationale", "done"));
    }

    private static String output(JsonObject observation) throws BadRecordException {
        for (String name : OUTPUTS) {
            if (observation.has(name)) {
                String warnings =
                        Boolean.TRUE.equals(observation.flag("success")) ? observation.text("stderr", "") : "";
                return observation.text(name, "") + warnings;
            }
        }
        return json(observation, List.of("success", "error", "execution_time"));
    }

    private static String json(JsonObject object, List<String> without) {
        ObjectNode rest = object.tree().deepCopy().remove(without).removeIf(JsonNode::isNull);
        return rest.isEmpty() ? "" : Json.text(rest);
    }

    private static @Nullable String error(JsonObject observation) throws BadRecordException {
        String told = observation.text("error", "");
        Boolean success = observation.flag("success");
        if (success == null ? told.isEmpty() : success) {
            return null;
        }
        String stderr = observation.text("stderr", "");
        return !told.isEmpty() ? told : !stderr.isBlank() ? stderr : "it failed";
    }

    /**
     * Records what happened in it, and its end.
     *
     * @param next when the next step's action began; {@code null} where none came
     * @return when it ended
     */
    Instant record(Recording recording, Instant started, @Nullable Instant next) {
        Instant ended = ended(next);
        if (reply != null) {
            recording.modelCalled(
                    started,
                    acted,
                    call -> call.parameters(parameters).reply(reply).usage(usage));
        }
        if (isRewarded) {
            recording.reward(ended, "environment", reward);
        }
        recording.endStep(ended, error, end -> end.actionType(action).code(code).output(output));
        return ended;
    }

    private Instant ended(@Nullable Instant next) {
        Instant ended = seconds == null ? (next == null ? acted : next) : acted.plusNanos((long) (seconds * NANOS));
        return next != null && next.isBefore(ended) && !next.isBefore(acted) ? next : ended;
    }
}
