package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.Correlation;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields of a chat that an import knows: those that {@link ChatReader} reads, and what an export says beside them. */
final class ChatFields {
    private static final String MESSAGE = "messages[].";
    private static final String CALL = MESSAGE + "tool_calls[].";
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
        RunFields.others(Correlation.NONE, (name, value) -> names.add(name));
        return names;
    }

    /** Those of a line that say something and are not taken over, with their place: {@code messages[].refusal}. */
    static Set<String> unknown(JsonObject line) {
        Set<String> unknown = new LinkedHashSet<>();
        add(unknown, "", line.values(), RUN);
        for (Object message : list(line.values(), "messages")) {
            add(unknown, MESSAGE, map(message), MESSAGES);
            list(map(message), "tool_calls").forEach(call -> add(unknown, CALL, map(call), CALLS));
        }
        return unknown;
    }

    private static void add(Set<String> unknown, String place, Map<?, ?> fields, Set<String> known) {
        fields.forEach((name, value) -> {
            if (value != null && !known.contains(name)) {
                unknown.add(place + name);
            }
        });
    }

    private static List<?> list(Map<?, ?> fields, String name) {
        return fields.get(name) instanceof List<?> list ? list : List.of();
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }
}
