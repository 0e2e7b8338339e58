package dev.rlm.tools.mcp;

import io.modelcontextprotocol.spec.McpClientTransport;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One way to a server, as long as it lasts. Safe for use by several threads. */
interface Link extends AutoCloseable {
    /** Returns the transport of the messages; used for one client. */
    McpClientTransport transport();

    /** Returns a future that is completed when nothing more can come, with what is known of why. */
    CompletableFuture<String> gone();

    /** Returns what the server has said beside the protocol, on one line, for error messages; may be empty. */
    String said();

    /** The session that the server has given. */
    default Optional<String> sessionId() {
        return Optional.empty();
    }

    /** Ends it within seconds, whatever the server does. Throws nothing. */
    @Override
    void close();
}
