package dev.rlm.tools.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** A transport that tells who calls a tool the number of the request, which the SDK gives it and keeps to itself. */
record RequestIds(McpClientTransport transport) implements McpClientTransport {
    private static final Class<RequestIds> KEY = RequestIds.class;

    /** The call, with who is told its number just before it is sent. */
    static <T> Mono<T> told(Mono<T> call, Consumer<String> listener) {
        return call.contextWrite(Context.of(KEY, listener));
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.deferContextual(context -> {
            if (message instanceof JSONRPCRequest request
                    && request.method().equals(McpSchema.METHOD_TOOLS_CALL)
                    && context.hasKey(KEY)) {
                context.<Consumer<String>>get(KEY).accept(String.valueOf(request.id()));
            }
            return transport.sendMessage(message);
        });
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        return transport.connect(handler);
    }

    @Override
    public void setExceptionHandler(Consumer<Throwable> handler) {
        transport.setExceptionHandler(handler);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return transport.closeGracefully();
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return transport.unmarshalFrom(data, type);
    }

    @Override
    public List<String> protocolVersions() {
        return transport.protocolVersions();
    }
}
