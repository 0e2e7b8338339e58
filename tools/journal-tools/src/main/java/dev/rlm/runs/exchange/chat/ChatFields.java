package dev.rlm.runs.exchange.chat;

import dev.rlm.json.Json;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.RunFields;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** The fields of a chat that an import knows: those that {@link ChatReader} reads, and what an export says beside them. */
final class ChatFields {
    private static final List<String> COMPLETED = List.of(ChatReader.PROMPT, ChatReader.COMPLETION);
    private static final Set<String> RUN = run();
    private static final Set<String> REWARDS = Set.of("source", "value", "label", "explanation");
    private static final Set<String> MESSAGES = Set.of(
            "role",
            "content",
            "name",
            "tool_calls",
            "tool_call_id",
            "function_call",
            "is_error",
            ChatMessages.REQUESTOR,
            Times.TIME,
            Times.STARTED);
    private static final Set<String> CALLS =
            Set.of("id", "index", "type", "function", "name", "arguments", ChatMessages.REQUESTOR);

    private ChatFields() {}

    private static Set<String> run() {
        Set<String> names = new LinkedHashSet<>(List.of(
                ChatReader.MESSAGES,
                ChatReader.TOOLS,
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
                ChatReader.REWARD,
                ChatReader.REWARDS,
                "solved",
                "outcome",
                "cut_off",
                "termination_reason",
                "metrics",
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
        boolean told = line.has(ChatReader.MESSAGES);
        JsonObject.unknown(line.tree(), RUN, "", name -> {
            if (told || !COMPLETED.contains(name)) {
                unknown.accept(name);
            }
        });
        line.get(ChatReader.REWARDS)
                .forEach(reward -> JsonObject.unknown(reward, REWARDS, ChatReader.REWARDS + "[].", unknown));
        for (String name : told ? List.of(ChatReader.MESSAGES) : COMPLETED) {
            Json.elements(line.get(name)).forEach(message -> message(message, name + "[].", unknown));
        }
    }

    private static void message(JsonNode message, String place, Consumer<String> unknown) {
        JsonObject.unknown(message, MESSAGES, place, name -> {
            if (!MessageJson.THOUGHTS.contains(name.substring(place.length()))
                    || !message.path(name.substring(place.length())).isString()) {
                unknown.accept(name);
            }
        });
        message.path("tool_calls").forEach(call -> JsonObject.unknown(call, CALLS, place + "tool_calls[].", unknown));
        Json.elements(message.path("content")).stream()
                .filter(part -> !MessageJson.isWhole(part))
                .forEach(part ->
                        unknown.accept(place + "content[]." + part.path("type").asString("part")));
    }
}
