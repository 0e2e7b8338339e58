package dev.rlm.tools.mcp;

import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.Tool;
import dev.rlm.episodes.ToolException;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.sinks.ToolCall;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A server's tool.
 *
 * @param name as the server has it; that of the {@link #spec} is made of it as models want it
 */
record McpTool(McpServer server, String name, ToolSpec spec) implements Tool {
    private static final int MAX_NAME = 64;

    /**
     * The server's tools.
     *
     * @param prefix what their names begin with; empty for none
     */
    static List<Tool> all(McpServer server, String prefix, List<McpSchema.Tool> offered) {
        Set<String> names = new HashSet<>();
        List<Tool> tools = new ArrayList<>();
        for (McpSchema.Tool tool : offered) {
            String name = name(prefix, tool.name());
            if (!names.add(name)) {
                throw new SetupException("the MCP server '" + server.label() + "' has two tools named '" + name + "'");
            }
            tools.add(new McpTool(server, tool.name(), new ToolSpec(name, description(tool), schema(tool), null)));
        }
        return tools;
    }

    /** Models take letters, digits, underscores and hyphens, and no more than 64. */
    private static String name(String prefix, String own) {
        String name = (prefix.isEmpty() ? own : prefix + "_" + own).replaceAll("[^a-zA-Z0-9_-]", "_");
        return name.length() > MAX_NAME ? name.substring(0, MAX_NAME) : name;
    }

    private static String description(McpSchema.Tool tool) {
        return Objects.requireNonNullElse(tool.description(), Objects.requireNonNullElse(tool.title(), ""));
    }

    private static String schema(McpSchema.Tool tool) {
        Map<String, Object> schema = tool.inputSchema();
        return schema == null || schema.isEmpty() ? "{\"type\":\"object\"}" : McpJson.text(schema);
    }

    @Override
    public String call(String arguments, ToolCall call) throws ToolException, InterruptedException {
        return server.call(name, arguments, call);
    }
}
