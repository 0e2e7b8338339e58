package dev.rlm.tools.mcp;

import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.Tool;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.episodes.ToolException;
import dev.rlm.episodes.ToolSource;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connected server. One that ends is started again by the next call, and given up when it has been started
 * {@value #MAX_RESTARTS} times without a call that worked; what it knew is lost with it. The call during which it ended
 * fails and is not repeated: it may have had its effect. Safe for use by several threads.
 */
final class McpServer implements ToolSource {
    private static final Logger LOG = LoggerFactory.getLogger(McpServer.class);
    private static final int MAX_RESTARTS = 3;

    private final ServerAddress endpoint;
    private final ToolAddress address;
    private final ReentrantLock starting = new ReentrantLock();
    private final List<Tool> tools;
    private volatile Connection connection;
    private final AtomicInteger restarts = new AtomicInteger(); // since a call worked
    private volatile boolean closed;

    private McpServer(ServerAddress endpoint, ToolAddress address) throws McpFault, InterruptedException {
        this.endpoint = endpoint;
        this.address = address;
        long by = System.nanoTime() + address.startTime().toNanos();
        connection = open();
        try {
            tools = McpTool.all(this, address.name(), offered(Duration.ofNanos(Math.max(1, by - System.nanoTime()))));
        } catch (McpFault | InterruptedException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    static McpServer connect(ServerAddress endpoint, ToolAddress address) {
        try {
            return new McpServer(endpoint, address);
        } catch (McpFault e) {
            throw new SetupException("the MCP server '" + endpoint.label() + "' cannot be used: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SetupException("the MCP server '" + endpoint.label() + "' was not waited for");
        }
    }

    private Connection open() throws McpFault, InterruptedException {
        Duration start = address.startTime();
        Duration call = address.callTime();
        return Connection.open(endpoint, start, start.compareTo(call) > 0 ? start : call);
    }

    private List<McpSchema.Tool> offered(Duration time) throws McpFault, InterruptedException {
        try {
            List<McpSchema.Tool> offered = connection.tools(time);
            if (!offered.isEmpty()) {
                return offered;
            }
        } catch (McpFault e) {
            throw e.saying(connection.said());
        }
        throw McpFault.unreachable("it offers no tools");
    }

    String label() {
        return endpoint.label();
    }

    @Override
    public List<Tool> tools() {
        return tools;
    }

    /** Calls a tool by the server's own name for it. */
    String call(String tool, String arguments, ToolCall call) throws ToolException, InterruptedException {
        call.provider(ToolCalled.MCP);
        endpoint.attributes().forEach(call::attribute);
        CallToolRequest request = CallToolRequest.builder(tool)
                .arguments(McpJson.arguments(arguments))
                .meta(meta(call))
                .build();
        try {
            CallToolResult result = live().call(request, call, address.callTime());
            restarts.set(0);
            return text(result, call);
        } catch (McpFault e) {
            throw failed(e, call);
        }
    }

    /** So that what the server traces lies in the step. */
    private static Map<String, Object> meta(ToolCall call) {
        return new LinkedHashMap<>(call.traceContext().map(TraceContext::toMap).orElse(Map.of()));
    }

    private static String text(CallToolResult result, ToolCall call) throws ToolException {
        String text = Results.text(result);
        if (Boolean.TRUE.equals(result.isError())) {
            call.attribute("error.type", "tool_error");
            throw new ToolException(RunStatus.UNKNOWN, text.isBlank() ? "the tool failed and did not say why" : text);
        }
        return text;
    }

    private ToolException failed(McpFault fault, ToolCall call) {
        if (fault.code() != null) {
            call.attribute("error.type", fault.code().toString());
            call.attribute("rpc.response.status_code", fault.code().toString());
            return new ToolException(fault.status(), String.valueOf(fault.getMessage()));
        }
        return new ToolException(fault.status(), "the MCP server '" + label() + "': " + fault.getMessage());
    }

    /** Returns the connection, after a reconnect if it is gone. One thread reconnects, and all others wait for it. */
    private Connection live() throws McpFault, InterruptedException {
        if (!connection.isGone()) {
            return connection;
        }
        starting.lockInterruptibly();
        try {
            if (connection.isGone()) {
                restart();
            }
            return connection;
        } finally {
            starting.unlock();
        }
    }

    private void restart() throws McpFault, InterruptedException {
        if (closed) {
            throw McpFault.unreachable("it was closed");
        }
        if (restarts.get() == MAX_RESTARTS) {
            throw McpFault.unreachable("it has ended, and was started again " + MAX_RESTARTS + " times in vain")
                    .saying(connection.said());
        }
        restarts.incrementAndGet();
        LOG.warn("the MCP server '{}' has ended and is started again", label());
        connection.close();
        connection = open();
    }

    /** Waits for a start that is under way, no longer than that may take. */
    @Override
    public void close() {
        closed = true;
        starting.lock();
        try {
            connection.close();
        } finally {
            starting.unlock();
        }
    }
}
