package dev.rlm.runner.openai;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The tokens of a reply, from what servers say beyond OpenAI's form: vLLM gives {@code prompt_token_ids} once and
 * {@code token_ids} with each choice; SGLang gives both with the choice, or at the end in {@code sglext}, and the
 * weights' version in {@code metadata} or there.
 */
final class TokenCollector {
    private static final String WEIGHTS = "weight_version";
    private static final String PROMPT = "prompt_token_ids";

    private final List<Integer> response = new ArrayList<>();
    private final List<Double> logarithms = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private List<Integer> prompt = List.of();
    private @Nullable String weights;

    /** Takes what is said beside the choices. */
    void addReply(JsonNode reply) {
        JsonNode extension = reply.path("sglext");
        prompt(reply.path(PROMPT));
        prompt(extension.path("input_ids"));
        JsonNode ids = extension.path("output_ids");
        response.addAll(ids(ids.path(0).isArray() ? ids.path(0) : ids));
        for (JsonNode place : List.of(reply, reply.path("metadata"), extension, reply.path("meta_info"))) {
            String version = Fields.word(place.path(WEIGHTS));
            weights = version == null ? weights : version;
        }
    }

    /** Takes what is said with a choice, or with a piece of it. */
    void addChoice(JsonNode choice) {
        prompt(choice.path(PROMPT));
        response.addAll(ids(choice.path("token_ids")));
        for (JsonNode token : Json.elements(choice.path("logprobs").path("content"))) {
            logarithms.add(token.path("logprob").doubleValue(Double.NaN));
            texts.add(token.path("token").stringValue(""));
        }
    }

    private void prompt(JsonNode ids) {
        prompt = Json.elements(ids).isEmpty() ? prompt : ids(ids);
    }

    private static List<Integer> ids(JsonNode list) {
        return Json.elements(list).stream()
                .filter(JsonNode::isInt)
                .map(JsonNode::intValue)
                .toList();
    }

    /** Texts of the reply's tokens; none where the server gave none. */
    List<String> texts() {
        return texts.stream().allMatch(String::isEmpty) ? List.of() : List.copyOf(texts);
    }

    /** Returns what was said; {@code null} where nothing. */
    @Nullable
    TokenTrace trace() {
        boolean none = prompt.isEmpty() && response.isEmpty() && logarithms.isEmpty() && weights == null;
        return none ? null : new TokenTrace(prompt, response, logarithms, weights);
    }
}
