package dev.rlm.tools.mcp;

import io.modelcontextprotocol.json.schema.JsonSchemaValidator.ValidationResponse;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.AudioContent;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.EmbeddedResource;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.ResourceLink;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Map;

/** A server by the official SDK, as a program of its own. */
final class SdkServer {
    private static final Map<String, Object> SCHEMA =
            Map.of("type", "object", "properties", Map.of("text", Map.of("type", "string")));

    private SdkServer() {}

    public static void main(String[] arguments) {
        McpServer.sync(new StdioServerTransportProvider(McpJson.MAPPER))
                .serverInfo("sdk", "1")
                .capabilities(ServerCapabilities.builder().tools(true).build())
                .jsonSchemaValidator((schema, value) -> ValidationResponse.asValid(null))
                .toolCall(tool("echo"), (server, call) -> text(String.valueOf(call.arguments())))
                .toolCall(tool("meta"), (server, call) -> text(McpJson.text(call.meta())))
                .toolCall(tool("fail"), (server, call) -> failed())
                .toolCall(tool("mixed"), (server, call) -> mixed())
                .toolCall(tool("structured"), (server, call) -> structured())
                .build();
    }

    private static Tool tool(String name) {
        return Tool.builder(name, SCHEMA).description("The tool " + name).build();
    }

    private static CallToolResult text(String text) {
        return CallToolResult.builder(List.of(TextContent.builder(text).build()))
                .build();
    }

    private static CallToolResult failed() {
        return CallToolResult.builder(
                        List.of(TextContent.builder("no such file").build()))
                .isError(true)
                .build();
    }

    private static CallToolResult mixed() {
        return CallToolResult.builder(List.of(
                        TextContent.builder("first").build(),
                        ImageContent.builder("AAAA", "image/png").build(),
                        AudioContent.builder("AAA=", "audio/wav").build(),
                        EmbeddedResource.builder(TextResourceContents.builder("file:///a", "inside")
                                        .build())
                                .build(),
                        EmbeddedResource.builder(BlobResourceContents.builder("file:///b", "AA==")
                                        .build())
                                .build(),
                        ResourceLink.builder().name("c").uri("file:///c").build(),
                        TextContent.builder("last").build()))
                .build();
    }

    private static CallToolResult structured() {
        return CallToolResult.builder(List.of())
                .structuredContent(Map.of("answer", 42))
                .build();
    }
}
