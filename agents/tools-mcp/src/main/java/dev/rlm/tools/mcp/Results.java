package dev.rlm.tools.mcp;

import io.modelcontextprotocol.spec.McpSchema.AudioContent;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.EmbeddedResource;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.ResourceContents;
import io.modelcontextprotocol.spec.McpSchema.ResourceLink;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Result of a tool as one text. For content that is no text, its kind and size stand there. */
final class Results {
    private Results() {}

    static String text(CallToolResult result) {
        List<String> parts = new ArrayList<>();
        boolean hasText = false;
        for (Content content : contents(result)) {
            hasText |= content instanceof TextContent;
            parts.add(text(content));
        }
        if (!hasText && result.structuredContent() != null) {
            parts.add(McpJson.text(result.structuredContent()));
        }
        return String.join("\n", parts);
    }

    @SuppressWarnings("ConstantValue") // a server may leave it out
    private static List<Content> contents(CallToolResult result) {
        List<Content> contents = result.content();
        return contents == null ? List.of() : contents;
    }

    private static String text(Content content) {
        if (content instanceof TextContent text) {
            return String.valueOf(text.text());
        } else if (content instanceof ImageContent image) {
            return told("image", image.mimeType(), image.data());
        } else if (content instanceof AudioContent audio) {
            return told("audio", audio.mimeType(), audio.data());
        } else if (content instanceof ResourceLink link) {
            return "[resource " + link.uri() + "]";
        } else if (content instanceof EmbeddedResource embedded) {
            return resource(embedded.resource());
        }
        return "[" + content.type() + "]";
    }

    private static String resource(ResourceContents resource) {
        if (resource instanceof TextResourceContents text) {
            return String.valueOf(text.text());
        } else if (resource instanceof BlobResourceContents blob) {
            return told("resource " + blob.uri(), blob.mimeType(), blob.blob());
        }
        return "[resource " + resource.uri() + "]";
    }

    private static String told(String kind, @Nullable String type, @Nullable String base64) {
        return "[" + kind + ", " + (type == null ? "unknown type" : type) + ", " + bytes(base64) + " bytes]";
    }

    private static long bytes(@Nullable String base64) {
        if (base64 == null) {
            return 0;
        }
        int padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
        return base64.length() * 3L / 4 - padding;
    }
}
