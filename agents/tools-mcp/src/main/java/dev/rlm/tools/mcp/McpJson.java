package dev.rlm.tools.mcp;

import dev.rlm.episodes.ToolException;
import dev.rlm.sinks.event.RunStatus;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import java.io.IOException;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** JSON as the SDK reads and writes it. */
final class McpJson {
    static final McpJsonMapper MAPPER =
            new JacksonMcpJsonMapper(JsonMapper.builder().build());

    private static final TypeRef<Map<String, Object>> OBJECT = new TypeRef<>() {};

    private McpJson() {}

    /** The arguments of a call; none where a model left them empty. */
    static Map<String, Object> arguments(String json) throws ToolException {
        try {
            Map<String, Object> arguments = json.isBlank() ? Map.of() : MAPPER.readValue(json, OBJECT);
            if (arguments != null) {
                return arguments;
            }
        } catch (IOException e) {
            // what is wrong with it is the same for all: it is no object
        }
        throw new ToolException(RunStatus.INVALID_ARGUMENT, "the arguments are no JSON object");
    }

    static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (IOException e) {
            throw new IllegalArgumentException("no JSON", e);
        }
    }
}
