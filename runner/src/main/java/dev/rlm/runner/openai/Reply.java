package dev.rlm.runner.openai;

import dev.rlm.json.Json;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A model's reply, put together from the whole or from the pieces of a stream; of one that was cut, what had come. Of several
 * choices the first one counts.
 */
final class Reply {
    private final ModelCall call;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder reasoning = new StringBuilder();
    private final ToolRequests requests;
    private final TokenCollector tokens = new TokenCollector();
    private String reasoningField = "reasoning_content";
    private @Nullable String id;
    private @Nullable String model;
    private @Nullable String finishReason;
    private Usage usage = Usage.UNKNOWN;
    private @Nullable Double cost; // US dollars

    /** A reply of which nothing has come; the turn is its number in its conversation. */
    Reply(int turn, ModelCall call) {
        requests = new ToolRequests(turn);
        this.call = call;
    }

    /** Takes a piece of a stream. */
    void piece(JsonNode piece) {
        boolean before = hasBegun();
        add(piece, "delta");
        if (!before && hasBegun()) {
            call.firstToken();
        }
    }

    /** Takes the whole. */
    void whole(JsonNode reply) {
        add(reply, "message");
    }

    /** Returns whether the model has said anything. */
    boolean hasBegun() {
        return text.length() > 0 || reasoning.length() > 0 || !requests.isEmpty();
    }

    /** Returns whether the model has said that it has ended. */
    boolean isFinished() {
        return finishReason != null;
    }

    String text() {
        return text.toString();
    }

    /** Returns what it thought before, as far as the server shows it; empty where not. */
    String reasoning() {
        return reasoning.toString();
    }

    /** The name under which the server gave {@link #reasoning}. */
    String reasoningField() {
        return reasoningField;
    }

    /** The tools that it asks for, in order. */
    List<ToolRequests.Request> requests() {
        return requests.all();
    }

    /** Records what was said, thoughts in the form in which open models write them. */
    void record() {
        if (id != null || model != null) {
            call.response(id, model);
        }
        String said = reasoning.isEmpty() ? text() : "<think>\n" + reasoning + "\n</think>\n\n" + text;
        if (!said.isEmpty() || finishReason != null) {
            call.reply(said);
        }
        requests().forEach(request -> call.toolRequest(request.id(), request.tool(), request.arguments()));
        if (!usage.equals(Usage.UNKNOWN)) {
            call.usage(usage);
        }
        if (cost != null) {
            call.cost(cost, "USD");
        }
        TokenTrace trace = tokens.trace();
        if (trace != null) {
            call.tokens(trace, tokens.texts());
        }
        if (finishReason != null) {
            call.finishReason(finishReason);
        }
    }

    private void add(JsonNode reply, String message) {
        tokens.addReply(reply);
        id = reply.path("id").stringValue(id);
        model = reply.path("model").stringValue(model);
        JsonNode used = reply.path("usage");
        usage = used.properties().isEmpty() ? usage : usage(used);
        Double told = Json.number(used.path("cost"));
        cost = told == null ? cost : told;
        for (JsonNode choice : Json.elements(reply.path("choices"))) {
            Long index = Fields.count(choice.path("index"));
            if (index == null || index == 0) {
                tokens.addChoice(choice);
                say(choice.path(message));
                finishReason = choice.path("finish_reason").stringValue(finishReason);
            }
        }
    }

    private void say(JsonNode message) {
        JsonNode content = message.path("content");
        String refusal = message.path("refusal").stringValue("");
        text.append(content.isArray() ? text(content) : content.stringValue(refusal));
        for (String field : List.of("reasoning_content", "reasoning")) {
            String thought = message.path(field).stringValue("");
            if (!thought.isEmpty()) {
                reasoningField = field;
                reasoning.append(thought);
                break; // some servers give both
            }
        }
        Json.elements(message.path("tool_calls")).forEach(requests::add);
    }

    /** The texts of a content's parts. */
    static String text(JsonNode parts) {
        return parts.valueStream()
                .map(part -> part.path("text").stringValue(""))
                .collect(Collectors.joining());
    }

    private static Usage usage(JsonNode usage) {
        JsonNode prompt = usage.path("prompt_tokens_details");
        Long input = Fields.count(usage.path("prompt_tokens"));
        Long output = Fields.count(usage.path("completion_tokens"));
        Long cached = Fields.count(prompt.path("cached_tokens"));
        Long reasoned = Fields.count(usage.path("completion_tokens_details").path("reasoning_tokens"));
        return new Usage(
                input,
                output,
                partOf(input, cached == null ? Fields.count(usage.path("prompt_cache_hit_tokens")) : cached),
                partOf(output, reasoned == null ? Fields.count(usage.path("reasoning_tokens")) : reasoned),
                partOf(input, Fields.count(prompt.path("cache_write_tokens"))));
    }

    /** A part that is more than its whole is no number to be believed. */
    private static @Nullable Long partOf(@Nullable Long whole, @Nullable Long part) {
        return whole != null && part != null && part > whole ? null : part;
    }
}
