package dev.rlm.runner.openai;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.json.Json;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Action that a model's request for a tool stands for. */
public final class RequestedAction {
    private RequestedAction() {}

    /**
     * Returns the action; one with a fault where there is no such tool, or the arguments are not as it takes them.
     *
     * @param known the tools that the model may ask for
     * @param id of the request
     * @param arguments as the model wrote them
     */
    public static Action of(List<ToolSpec> known, String id, String tool, String arguments) {
        ToolSpec spec = known.stream()
                .filter(each -> each.name().equals(tool))
                .findFirst()
                .orElse(null);
        if (spec == null) {
            List<String> names = known.stream().map(ToolSpec::name).toList();
            return new Action(
                    tool, arguments, id, "there is no tool '" + tool + "': known are " + String.join(", ", names));
        }
        JsonNode given;
        try {
            given = Json.REPLY.object(arguments.isBlank() ? "{}" : arguments);
        } catch (JacksonException e) {
            String reason = ChatException.oneLine(String.valueOf(e.getOriginalMessage()));
            return new Action(tool, arguments, id, "the arguments are no JSON object: " + reason);
        }
        String parameter = spec.textParameter();
        if (parameter == null) {
            return new Action(tool, Json.text(given), id);
        }
        JsonNode told = given.path(parameter);
        String text = told.isString() || told.isNumber() ? told.asString() : null;
        return text == null
                ? new Action(tool, arguments, id, "the argument '" + parameter + "' is missing, or no text")
                : new Action(tool, text, id);
    }
}
