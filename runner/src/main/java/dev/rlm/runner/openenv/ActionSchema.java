package dev.rlm.runner.openenv;

import dev.rlm.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Schema of an environment's actions.
 *
 * @param json its JSON Schema, without what the server sets
 * @param isOfTools whether an action is the call of a tool that has a name, as MCP's are
 * @param onlyText the only field that must be there, if it is a text; {@code null} where that is not so
 */
record ActionSchema(
        String json,
        String description,
        boolean isOfTools,
        @Nullable String onlyText) {
    /** Reads what {@code GET /schema} answers. */
    static ActionSchema of(JsonNode answer) {
        ObjectNode schema = (ObjectNode) answer.path("action").deepCopy();
        JsonNode properties = schema.path("properties");
        if (properties instanceof ObjectNode fields) {
            fields.remove("metadata");
        }
        List<String> required = Json.elements(schema.path("required")).stream()
                .map(JsonNode::asString)
                .toList();
        String only = required.size() == 1
                        && properties
                                .path(required.get(0))
                                .path("type")
                                .asString("")
                                .equals("string")
                ? required.get(0)
                : null;
        boolean tools = properties.has("tool_name") && properties.has("arguments");
        String description = schema.path("description").asString("the environment's action");
        return new ActionSchema(Json.text(schema), description, tools, only);
    }
}
