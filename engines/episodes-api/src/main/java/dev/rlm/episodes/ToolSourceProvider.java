package dev.rlm.episodes;

/** Connects tools of one kind, such as those of Model Context Protocol servers: {@code mcp} for {@code --mcp}. */
public interface ToolSourceProvider extends Provider {
    /**
     * Connects, and asks for the tools.
     *
     * @throws SetupException if that cannot be: the message is one line, and names no secret
     */
    ToolSource connect(ToolAddress address) throws SetupException;
}
