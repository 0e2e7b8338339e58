package dev.rlm.journal.exchange;

import dev.rlm.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What was done in a step of rlm-code, and what came of it.
 *
 * @param error why it failed; {@code null} where it did not
 * @param seconds how long the action took; {@code null} where that is not told
 */
record RlmCodeStep(
        String action,
        String code,
        String output,
        @Nullable String error,
        @Nullable Double seconds) {
    private static final List<String> CODES = List.of("code", "command", "content", "final_response", "task");
    private static final List<String> OUTPUTS = List.of("stdout", "message", "content");

    static RlmCodeStep of(JsonObject line) throws BadRecordException {
        JsonObject action = line.object("action");
        JsonObject observation = line.object("observation");
        return new RlmCodeStep(
                action.text("action", ""),
                code(action),
                output(observation),
                error(observation),
                observation.decimal("execution_time"));
    }

    /** The action's own text; of an action that has none, such as one with several tasks, its fields. */
    private static String code(JsonObject action) throws BadRecordException {
        for (String name : CODES) {
            String text = action.text(name);
            if (text != null && !text.isEmpty()) {
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
}
