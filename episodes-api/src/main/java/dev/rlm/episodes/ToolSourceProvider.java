package dev.rlm.episodes;

/** Connects tools of one kind, such as those of Model Context Protocol servers. Found by {@link java.util.ServiceLoader}. */
public interface ToolSourceProvider {
    /** The kind: {@code mcp} for {@code --mcp}. */
    String name();

    /**
     * Connects, and asks for the tools.
     *
     * @throws SetupException if that cannot be: the message is one line, and names no secret
     */
    ToolSource connect(ToolAddress address) throws SetupException;
}
