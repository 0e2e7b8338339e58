package dev.rlm.tools.mcp;

import io.modelcontextprotocol.spec.McpClientTransport;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One way to a server, as long as it lasts. Safe for use by several threads. */
interface Link extends AutoCloseable {
    /** What carries the messages; used for one client. */
    McpClientTransport transport();

    /** Is completed when nothing more can come, with what is known of why. */
    CompletableFuture<String> gone();

    /** What the server has said beside the protocol, on one line, for who looks for the fault; may be empty. */
    String said();

    /** The session that the server has given. */
    default Optional<String> sessionId() {
        return Optional.empty();
    }

    /** Ends it within seconds, whatever the server does. Throws nothing. */
    @Override
    void close();
}
