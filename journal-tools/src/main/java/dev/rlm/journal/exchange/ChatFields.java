package dev.rlm.journal.exchange;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** The fields of a chat that an import knows: those that {@link ChatReader} reads, and what an export says beside them. */
final class ChatFields {
    private static final String MESSAGE = "messages[].";
    private static final Set<String> RUN = run();
    private static final Set<String> MESSAGES =
            Set.of("role", "content", "name", "tool_calls", "tool_call_id", "function_call", "is_error", "timestamp");
    private static final Set<String> CALLS = Set.of("id", "index", "type", "function", "name", "arguments");

    private ChatFields() {}

    private static Set<String> run() {
        Set<String> names = new LinkedHashSet<>(List.of(
                "messages",
                RunFields.RUN_ID,
                RunFields.SAMPLE,
                RunFields.TRIAL,
                "trajectory_index",
                RunFields.ROLLOUT,
                RunFields.ATTEMPT,
                "model",
                "agent",
                "agent_version",
                "environment",
                "reward",
                "solved",
                "outcome",
                "task",
                "expected_answer",
                "final_answer",
                "error",
                "timestamps",
                "tags",
                "metadata",
                "seed",
                "max_steps",
                "redacted",
                "truncated"));
        names.addAll(Times.BOUNDS);
        RunFields.OTHERS.forEach(field -> names.add(field.name()));
        return names;
    }

    /** Those of a line that say something and are not taken over, with their place: {@code messages[].refusal}. */
    static void unknown(JsonObject line, Consumer<String> unknown) {
        JsonObject.unknown(line.tree(), RUN, "", unknown);
        for (JsonNode message : line.get("messages")) {
            JsonObject.unknown(message, MESSAGES, MESSAGE, unknown);
            message.path("tool_calls")
                    .forEach(call -> JsonObject.unknown(call, CALLS, MESSAGE + "tool_calls[].", unknown));
        }
    }
}
