package dev.rlm.runs.exchange.inspect;

import dev.rlm.json.Json;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Usage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Calls of the model in a sample of Inspect, by the messages that they gave. */
final class InspectCalls {
    private static final String MODEL = "model";
    private static final Set<String> TOLD = Set.of( // by messages, scores and the sample itself
            "tool", "score", "sample_init", "sample_limit", "error", "state", "span_begin", "span_end", "step");

    private final ImportDefaults defaults;
    private final List<@Nullable Consumer<ModelCalledBuilder>> calls = new ArrayList<>();

    private InspectCalls(ImportDefaults defaults) {
        this.defaults = defaults;
    }

    /**
     * Those of a sample.
     *
     * @param left receives the names of events that are not taken over
     */
    static InspectCalls of(JsonObject sample, ImportDefaults defaults, Consumer<String> left)
            throws BadRecordException {
        Map<String, Deque<JsonObject>> events = new HashMap<>();
        for (JsonObject event : sample.objects("events")) {
            String kind = event.text("event", "");
            JsonNode reply = reply(event);
            if (kind.equals(MODEL) && reply.isObject()) {
                events.computeIfAbsent(key(reply), unused -> new ArrayDeque<>()).add(event);
            } else if (!TOLD.contains(kind)) {
                left.accept("events[]." + kind);
            }
        }
        InspectCalls made = new InspectCalls(defaults);
        for (JsonObject message : sample.objects("messages")) {
            Deque<JsonObject> gave = events.getOrDefault(key(message.tree()), new ArrayDeque<>());
            made.calls.add(gave.isEmpty() ? call -> {} : made.call(gave.remove()));
        }
        if (events.values().stream().anyMatch(others -> !others.isEmpty())) { // of scorers, or of subagents
            left.accept("events[].model of no message");
        }
        return made;
    }

    /** The message that a call of the model gave. */
    static JsonNode reply(JsonObject event) {
        return event.get("output").path("choices").path(0).path("message");
    }

    /** By what a message is the same in several places: its id, else what it says, since older versions gave none. */
    static String key(JsonNode message) {
        String id = message.path("id").asString("");
        return id.isEmpty()
                ? message.path("role").asString("")
                        + Json.text(message.path("content"))
                        + Json.text(message.path("tool_calls"))
                : id;
    }

    /** Adds to the call that gave the message of that number. */
    @Nullable
    Consumer<ModelCalledBuilder> of(int message) {
        return calls.get(message);
    }

    /** The tokens of the prompt with its cached ones, which older versions counted in and newer ones beside: the total tells. */
    private static @Nullable Long input(JsonObject usage, long cached) throws BadRecordException {
        Long input = usage.number("input_tokens");
        Long output = usage.number("output_tokens");
        Long total = usage.number("total_tokens");
        boolean isCountedIn = input != null
                && total != null
                && input >= cached
                && total < input + cached + (output == null ? 0 : output);
        return input == null || isCountedIn ? input : (Long) (input + cached);
    }

    private Consumer<ModelCalledBuilder> call(JsonObject event) throws BadRecordException {
        JsonObject output = event.object("output");
        JsonObject usage = output.object("usage");
        Long read = usage.number("input_tokens_cache_read");
        Long written = usage.number("input_tokens_cache_write");
        Usage tokens = new Usage(
                input(usage, (read == null ? 0 : read) + (written == null ? 0 : written)),
                usage.number("output_tokens"),
                read,
                usage.number("reasoning_tokens"),
                written);
        Double cost = usage.decimal("total_cost");
        String asked = event.text(MODEL, "");
        String answered = output.text(MODEL);
        JsonNode reason = output.get("choices").path(0).path("stop_reason");
        Integer retries = event.integer("retries");
        List<JsonNode> tools = event.list("tools");
        Content offered = tools.isEmpty() ? null : defaults.content(Json.text(tools));
        Map<String, Object> parameters = defaults.values(event.object("config"));
        return call -> call.usage(tokens)
                .costAmount(cost)
                .costCurrency(cost == null ? null : "USD")
                .model(defaults.name(asked))
                .responseModel(answered == null ? null : defaults.name(answered))
                .finishReason(reason.isString() ? defaults.name(reason.stringValue()) : null)
                .retries(retries == null ? 0 : Math.max(0, retries))
                .parameters(parameters)
                .toolDefinitions(offered);
    }
}
