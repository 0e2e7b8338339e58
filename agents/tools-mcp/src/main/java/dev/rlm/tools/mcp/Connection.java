package dev.rlm.tools.mcp;

import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator.ValidationResponse;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.InitializeResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.ListToolsResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A client that is connected to a server by one {@link Link}. A caller waits no longer than the time it gives, and no
 * longer than the link lasts; an interrupt ends the wait. Safe for use by several threads.
 */
final class Connection implements AutoCloseable {
    private static final Duration CLOSE_TIME = Duration.ofSeconds(2);
    private static final Duration SLACK = Duration.ofSeconds(5); // the waiting here is to end before the SDK's

    private final Link link;
    private final McpAsyncClient client;

    private Connection(Link link, Duration longest) {
        this.link = link;
        this.client = McpClient.async(new RequestIds(link.transport()))
                .clientInfo(Implementation.builder("rlm", version()).build())
                .requestTimeout(longest.plus(SLACK))
                .initializationTimeout(longest.plus(SLACK))
                .jsonSchemaValidator((schema, value) -> ValidationResponse.asValid(null)) // never asked
                .build();
    }

    private static String version() {
        String version = Connection.class.getPackage().getImplementationVersion();
        return version == null ? "0" : version;
    }

    /**
     * Connects.
     *
     * @param time time that connecting may take
     * @param longest longest time that any request may take
     */
    static Connection open(ServerAddress endpoint, Duration time, Duration longest)
            throws McpFault, InterruptedException {
        Connection connection;
        try {
            connection = new Connection(endpoint.open(), longest);
        } catch (IOException e) {
            throw McpFault.of(e);
        }
        try {
            connection.await(connection.client.initialize(), time);
            return connection;
        } catch (McpFault e) {
            connection.close();
            throw e.saying(connection.link.said());
        } catch (InterruptedException e) {
            connection.close();
            throw e;
        }
    }

    /** All pages of the server's tools. */
    List<Tool> tools(Duration time) throws McpFault, InterruptedException {
        return await(client.listTools().map(ListToolsResult::tools), time);
    }

    /**
     * Calls a tool, and says in the call's record what only the protocol knows. A call whose wait ends early, after the
     * time or by an interrupt, is cancelled on the server.
     */
    CallToolResult call(CallToolRequest request, ToolCall call, Duration time) throws McpFault, InterruptedException {
        AtomicReference<@Nullable String> id = new AtomicReference<>();
        Mono<CallToolResult> answer = RequestIds.told(client.callTool(request), sent -> {
            id.set(sent);
            call.attribute("jsonrpc.request.id", sent);
        });
        try {
            return await(answer, time);
        } catch (McpFault e) {
            if (e.status() == RunStatus.DEADLINE_EXCEEDED) {
                callOff(id.get(), "it took too long");
            }
            throw e;
        } catch (InterruptedException e) {
            callOff(id.get(), "it is not wanted any more");
            throw e;
        } finally {
            describe(call);
        }
    }

    private void callOff(@Nullable String id, String reason) {
        if (id != null) {
            link.transport()
                    .sendMessage(new JSONRPCNotification(
                            "notifications/cancelled", Map.of("requestId", id, "reason", reason)))
                    .subscribe(done -> {}, ignored -> {}); // it is a courtesy
        }
    }

    private void describe(ToolCall call) {
        InitializeResult known = client.getCurrentInitializationResult();
        if (known != null) {
            call.attribute("mcp.protocol.version", known.protocolVersion());
        }
        link.sessionId().ifPresent(id -> call.attribute("mcp.session.id", id));
    }

    private <T> T await(Mono<T> asked, Duration time) throws McpFault, InterruptedException {
        CompletableFuture<T> answer = asked.toFuture();
        try {
            CompletableFuture.anyOf(answer.handle((value, error) -> true), link.gone())
                    .get(time.toNanos(), TimeUnit.NANOSECONDS);
            if (isGone() && (!answer.isDone() || answer.isCompletedExceptionally())) {
                throw McpFault.unreachable(link.gone().join());
            }
            return answer.get();
        } catch (ExecutionException | TimeoutException e) {
            throw McpFault.of(e);
        } finally {
            answer.cancel(true);
        }
    }

    /** Returns whether nothing more can come from the server. */
    boolean isGone() {
        return link.gone().isDone();
    }

    /** Returns what the server has said beside the protocol, on one line; may be empty. */
    String said() {
        return link.said();
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            client.closeGracefully().toFuture().get(CLOSE_TIME.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            // the link is closed whatever the server says to that
        } finally {
            link.close();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
