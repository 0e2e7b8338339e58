package dev.rlm.json.chat;

import dev.rlm.json.Json;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A choice of a reply of chat completions. What is missing in it, or of another kind than it should be, counts as not said.
 *
 * <p>Its tokens are what servers say beyond OpenAI's form: vLLM gives {@code prompt_token_ids} once and {@code token_ids} with each choice;
 * SGLang gives both with the choice, or at the end in {@code sglext}, and the weights' version in {@code metadata} or there.
 */
public final class ChatReply {
    private static final long MAX_COUNT = 1L << 53;
    private static final String WEIGHTS = "weight_version";
    private static final String PROMPT = "prompt_token_ids";

    private final ObjectNode reply;
    private final JsonNode choice;
    private final boolean first;

    private ChatReply(ObjectNode reply, JsonNode choice, boolean first) {
        this.reply = reply;
        this.choice = choice;
        this.first = first;
    }

    /** Returns the choices of a reply, of which the first counts; one of which nothing is known where it has none. */
    public static List<ChatReply> choices(ObjectNode reply) {
        List<ChatReply> choices = new ArrayList<>();
        for (JsonNode choice : Json.elements(reply.path("choices"))) {
            choices.add(new ChatReply(reply, choice, choices.isEmpty()));
        }
        return choices.isEmpty() ? List.of(new ChatReply(reply, ChatApi.object(), true)) : choices;
    }

    private JsonNode message() {
        return choice.path("message");
    }

    /** Returns what the model says; empty where it says nothing. */
    public String text() {
        String text = MessageJson.text(message().path("content"));
        return text.isEmpty() ? message().path("refusal").stringValue("") : text;
    }

    /** The calls of tools that it asks for. */
    public List<MessageJson.Call> toolCalls() {
        return MessageJson.toolCalls(message());
    }

    /** The name of the field that tells what it thought before; {@code null} where none does. */
    public @Nullable String thoughtField() {
        return MessageJson.THOUGHTS.stream()
                .filter(name -> !message().path(name).stringValue("").isEmpty())
                .findFirst()
                .orElse(null);
    }

    /** Returns what it thought before, as far as the server shows it; empty where not. */
    public String thoughts() {
        String field = thoughtField();
        return field == null ? "" : message().path(field).stringValue("");
    }

    /** Returns why it ended; {@code null} where that has not come. */
    public @Nullable String finishReason() {
        String reason = choice.path("finish_reason").stringValue("");
        return reason.isEmpty() ? null : reason;
    }

    /** Records what it says, as one text or as its parts. */
    public void record(ModelCall call) {
        if (message().path("content").isArray() || thoughtField() != null) {
            call.replyParts(parts -> MessageJson.parts(message(), parts));
        } else if (message().isObject()) {
            call.reply(text());
            toolCalls().forEach(each -> call.toolRequest(each.id(), each.tool(), each.arguments()));
        } else if (finishReason() != null) {
            call.reply(""); // as where a filter has left nothing of it
        }
        recordFacts(call);
    }

    /** Records what is known of it beside what it says. Those of the whole reply are the first choice's. */
    public void recordFacts(ModelCall call) {
        String id = reply.path("id").stringValue(null);
        String model = reply.path("model").stringValue(null);
        if (id != null || model != null) {
            call.response(id, model);
        }
        String reason = finishReason();
        if (reason != null) {
            call.finishReason(reason);
        }
        Usage usage = usage(reply.path("usage"));
        if (first && !usage.equals(Usage.UNKNOWN)) {
            call.usage(usage);
        }
        Double cost = Json.number(reply.path("usage").path("cost"));
        if (first && cost != null) {
            call.cost(cost, "USD");
        }
        TokenTrace tokens = tokens();
        if (tokens != null) {
            List<String> texts = probabilities().stream()
                    .map(each -> each.path("token").stringValue(""))
                    .toList();
            call.tokens(tokens, texts.stream().allMatch(String::isEmpty) ? List.of() : texts);
        }
    }

    private static Usage usage(JsonNode usage) {
        JsonNode prompt = usage.path("prompt_tokens_details");
        Long input = count(usage.path("prompt_tokens"));
        Long output = count(usage.path("completion_tokens"));
        Long cached = count(prompt.path("cached_tokens"));
        Long reasoned = count(usage.path("completion_tokens_details").path("reasoning_tokens"));
        return new Usage(
                input,
                output,
                partOf(input, cached == null ? count(usage.path("prompt_cache_hit_tokens")) : cached),
                partOf(output, reasoned == null ? count(usage.path("reasoning_tokens")) : reasoned),
                partOf(input, count(prompt.path("cache_write_tokens"))));
    }

    /** A number of things: whole, not below zero. */
    private static @Nullable Long count(JsonNode field) {
        long count = field.isIntegralNumber() ? field.longValue(-1) : -1;
        return count < 0 || count > MAX_COUNT ? null : Long.valueOf(count);
    }

    /** A part that is more than its whole is no number to be believed. */
    private static @Nullable Long partOf(@Nullable Long whole, @Nullable Long part) {
        return whole != null && part != null && part > whole ? null : part;
    }

    private List<JsonNode> probabilities() {
        return List.copyOf(Json.elements(choice.path("logprobs").path("content")));
    }

    private @Nullable TokenTrace tokens() {
        JsonNode extension = reply.path("sglext");
        JsonNode output = extension.path("output_ids");
        List<Integer> prompt = firstIds(choice.path(PROMPT), reply.path(PROMPT), extension.path("input_ids"));
        List<Integer> response = firstIds(choice.path("token_ids"), output.path(0), output);
        List<Double> logarithms = probabilities().stream()
                .map(each -> each.path("logprob").doubleValue(Double.NaN))
                .toList();
        String weights = null;
        for (JsonNode place : List.of(reply, reply.path("metadata"), extension, reply.path("meta_info"))) {
            JsonNode version = place.path(WEIGHTS);
            weights = version.isString() || version.isNumber() ? version.asString() : weights;
        }
        boolean none = prompt.isEmpty() && response.isEmpty() && logarithms.isEmpty() && weights == null;
        return none ? null : new TokenTrace(prompt, response, logarithms, weights);
    }

    private static List<Integer> firstIds(JsonNode... lists) {
        for (JsonNode list : lists) {
            List<Integer> ids = Json.elements(list).stream()
                    .filter(JsonNode::isInt)
                    .map(JsonNode::intValue)
                    .toList();
            if (!ids.isEmpty()) {
                return ids;
            }
        }
        return List.of();
    }
}
