package dev.rlm.runner.openai;

import dev.rlm.sinks.event.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
    void addReply(Fields reply) {
        Fields extension = reply.object("sglext");
        prompt(reply.list(PROMPT));
        prompt(extension.list("input_ids"));
        List<?> ids = extension.list("output_ids");
        response.addAll(ids(!ids.isEmpty() && ids.get(0) instanceof List<?> first ? first : ids));
        for (Fields place : List.of(reply, reply.object("metadata"), extension, reply.object("meta_info"))) {
            String version = place.word(WEIGHTS);
            weights = version == null ? weights : version;
        }
    }

    /** Takes what is said with a choice, or with a piece of it. */
    void addChoice(Fields choice) {
        prompt(choice.list(PROMPT));
        response.addAll(ids(choice.list("token_ids")));
        for (Fields token : choice.object("logprobs").objects("content")) {
            logarithms.add(token.values().get("logprob") instanceof Number value ? value.doubleValue() : Double.NaN);
            texts.add(Objects.requireNonNullElse(token.text("token"), ""));
        }
    }

    private void prompt(List<?> ids) {
        prompt = ids.isEmpty() ? prompt : ids(ids);
    }

    private static List<Integer> ids(List<?> list) {
        return list.stream()
                .filter(Integer.class::isInstance)
                .map(Integer.class::cast)
                .toList();
    }

    /** Texts of the reply's tokens; none where the server gave none. */
    List<String> texts() {
        return texts.stream().allMatch(String::isEmpty) ? List.of() : List.copyOf(texts);
    }

    /** What was said; {@code null} where nothing. */
    @Nullable
    TokenTrace trace() {
        boolean none = prompt.isEmpty() && response.isEmpty() && logarithms.isEmpty() && weights == null;
        return none ? null : new TokenTrace(prompt, response, logarithms, weights);
    }
}
