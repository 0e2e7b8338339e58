package dev.rlm.tools.mcp;

import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.episodes.ToolSource;
import dev.rlm.episodes.ToolSourceProvider;
import java.util.Locale;

/** Connects the tools of Model Context Protocol servers: {@code --mcp}. */
public final class McpToolSourceProvider implements ToolSourceProvider {
    @Override
    public String name() {
        return "mcp";
    }

    @Override
    public ToolSource connect(ToolAddress address) throws SetupException {
        String start = address.location().toLowerCase(Locale.ROOT);
        boolean isUrl = start.startsWith("http://") || start.startsWith("https://");
        return McpServer.connect(isUrl ? new UrlEndpoint(address) : new CommandEndpoint(address), address);
    }
}
