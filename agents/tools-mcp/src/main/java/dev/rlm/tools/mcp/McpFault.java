package dev.rlm.tools.mcp;

import dev.rlm.sinks.event.RunStatus;
import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import io.modelcontextprotocol.spec.McpError;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Failure of a server to do what it was asked for, with the reason on one line, for the user or the agent. */
final class McpFault extends Exception {
    private static final long serialVersionUID = 1;
    private static final int MAX_CHARACTERS = 500;
    private static final int INVALID_PARAMS = -32602;

    private final int status;
    private final @Nullable Integer code;

    private McpFault(int status, @Nullable Integer code, @Nullable String message) {
        super(line(String.valueOf(message)));
        this.status = status;
        this.code = code;
    }

    /** It cannot be reached any more, or not at all. */
    static McpFault unreachable(@Nullable String message) {
        return new McpFault(RunStatus.UNAVAILABLE, null, message);
    }

    static McpFault of(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null && !(cause instanceof McpError)) {
            cause = cause.getCause();
        }
        if (cause instanceof McpError refusal && refusal.getJsonRpcError() != null) {
            Integer code = refusal.getJsonRpcError().code();
            boolean isOurs = code != null && code == INVALID_PARAMS;
            return new McpFault(
                    isOurs ? RunStatus.INVALID_ARGUMENT : RunStatus.INTERNAL,
                    code,
                    refusal.getJsonRpcError().message());
        } else if (cause instanceof McpHttpClientTransportAuthorizationException denied) {
            int answer = denied.getResponseInfo().statusCode();
            return unreachable("it answered " + answer + ": it wants a token, or another one");
        } else if (cause instanceof TimeoutException) {
            return new McpFault(RunStatus.DEADLINE_EXCEEDED, null, "it did not answer in time");
        }
        boolean speaks =
                cause.getMessage() != null && (cause instanceof IOException || cause instanceof RuntimeException);
        return unreachable(speaks ? cause.getMessage() : cause.toString());
    }

    /** The same with what the server has said beside the protocol. */
    McpFault saying(String said) {
        return said.isEmpty() ? this : new McpFault(status, code, getMessage() + "; it said: " + said);
    }

    /** One of {@link RunStatus}'s. */
    int status() {
        return status;
    }

    /** Returns the error code that the server answered by JSON-RPC; {@code null} if it answered none. */
    @Nullable
    Integer code() {
        return code;
    }

    private static String line(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() > MAX_CHARACTERS ? line.substring(0, MAX_CHARACTERS) + "…" : line;
    }
}
