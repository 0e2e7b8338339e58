package dev.rlm.adk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.google.adk.JsonBaseModel;
import com.google.adk.models.LlmRequest;
import com.google.adk.models.LlmResponse;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionCall;
import com.google.genai.types.FunctionResponse;
import com.google.genai.types.Part;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.event.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads Gemini's contents for a record. */
final class Contents {
    private static final String MODEL = "model"; // role of what it has said
    private static final String RESULT = "result"; // key of what a function returns

    private Contents() {}

    /** Returns the GenAI semantic conventions' name of who serves a model, as far as its name tells. */
    static String provider(String model) {
        return model.contains("gemini")
                ? "gcp.gemini"
                : model.startsWith("gpt") ? "openai" : model.contains("claude") ? "anthropic" : "unknown";
    }

    private static List<Part> parts(Content content) {
        return content.parts().orElse(List.of());
    }

    /** Returns what it says, without thoughts; what is no text is named. */
    static String text(Content content) {
        return parts(content).stream()
                .filter(part -> !part.thought().orElse(false))
                .map(part -> part.text().orElseGet(() -> media(part)))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("\n"));
    }

    private static String media(Part part) {
        Optional<String> type = part.inlineData()
                .flatMap(data -> data.mimeType())
                .or(() -> part.fileData().flatMap(data -> data.mimeType()));
        return type.map(mime -> "[" + mime + "]").orElse("");
    }

    private static Stream<FunctionCall> calls(Content content) {
        return parts(content).stream().flatMap(part -> part.functionCall().stream());
    }

    private static Stream<FunctionResponse> responses(Content content) {
        return parts(content).stream().flatMap(part -> part.functionResponse().stream());
    }

    static String json(Object value) {
        try {
            return JsonBaseModel.getMapper().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            return String.valueOf(value);
        }
    }

    /** Returns what a function gave: what it returned where that stands alone. */
    static String result(Map<String, Object> response) {
        Object only = response.size() == 1 ? response.get(RESULT) : null;
        return only == null ? json(response) : only instanceof String text ? text : json(only);
    }

    /** Returns why a function has failed, where it says so in the ways of ADK: an {@code error}, or the {@code status} of one. */
    static Optional<String> failure(Map<String, Object> response) {
        Object error = response.get("error");
        return error != null
                ? Optional.of(String.valueOf(error))
                : "error".equals(response.get("status")) ? Optional.of(json(response)) : Optional.empty();
    }

    private static String result(FunctionResponse response) {
        return result(response.response().orElse(Map.of()));
    }

    /** Returns what stands behind the last that the model has said. */
    static String seen(List<Content> contents) {
        List<String> seen = new ArrayList<>();
        for (Content content : contents) {
            if (content.role().orElse("").equals(MODEL)) {
                seen.clear();
            } else {
                responses(content).map(Contents::result).forEach(seen::add);
                String text = text(content);
                if (!text.isEmpty()) {
                    seen.add(text);
                }
            }
        }
        return String.join("\n", seen);
    }

    static void write(LlmRequest request, ModelCall call) {
        request.getSystemInstructions().forEach(text -> call.message("system", text));
        for (Content content : request.contents()) {
            boolean said = content.role().orElse("").equals(MODEL);
            responses(content).forEach(each -> call.toolMessage(each.id().orElse(""), result(each)));
            if (said || responses(content).findAny().isEmpty()) {
                call.message(said ? "assistant" : "user", text(content));
            }
            calls(content)
                    .forEach(each -> call.shownToolRequest(
                            each.id().orElse(""),
                            each.name().orElse(""),
                            json(each.args().orElse(Map.of()))));
        }
    }

    static void write(LlmResponse response, ModelCall call) {
        Content content = response.content().orElse(null);
        if (content != null) {
            String thought = parts(content).stream()
                    .filter(part -> part.thought().orElse(false))
                    .map(part -> part.text().orElse(""))
                    .collect(Collectors.joining());
            call.reply((thought.isEmpty() ? "" : "<think>\n" + thought + "\n</think>\n\n") + text(content));
            calls(content)
                    .forEach(each -> call.toolRequest(
                            each.id().orElse(""),
                            each.name().orElse(""),
                            json(each.args().orElse(Map.of()))));
        }
        response.modelVersion().ifPresent(model -> call.response(null, model));
        response.finishReason()
                .ifPresent(reason -> call.finishReason(reason.toString().toLowerCase(Locale.ROOT)));
        response.usageMetadata()
                .ifPresent(used -> call.usage(new Usage(
                        count(used.promptTokenCount()),
                        count(used.candidatesTokenCount()),
                        count(used.cachedContentTokenCount()),
                        count(used.thoughtsTokenCount()))));
    }

    private static @Nullable Long count(Optional<Integer> tokens) {
        return tokens.map(Integer::longValue).orElse(null);
    }

    /** Returns the names of the tools that it asks for. */
    static List<String> tools(LlmResponse response) {
        return response.content().stream()
                .flatMap(Contents::calls)
                .map(each -> each.name().orElse(""))
                .toList();
    }

    /** Returns what it says and what it asks for. */
    static String said(LlmResponse response) {
        return response.content().stream()
                .flatMap(content -> Stream.concat(
                        Stream.of(text(content)),
                        calls(content)
                                .map(each -> each.name().orElse("") + "("
                                        + json(each.args().orElse(Map.of())) + ")")))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("\n"));
    }
}
