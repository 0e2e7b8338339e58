package dev.rlm.tools.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The way to a server's process: a message a line, in UTF-8. A line that is no message is passed over, since many a
 * server prints a greeting. When the process ends, or writes a line that is too long, the link is gone at once.
 *
 * <p>A message is sent by a thread of the link's, for a server that does not read would hold the sender.
 */
final class ProcessLink implements Link, McpClientTransport {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessLink.class);
    private static final int MAX_LINE = 16 << 20;
    private static final int MAX_WAITING = 4_096;

    private final ServerProcess server;
    private final CompletableFuture<String> gone = new CompletableFuture<>();
    private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MAX_WAITING);

    ProcessLink(ServerProcess server) {
        this.server = server;
    }

    @Override
    public McpClientTransport transport() {
        return this;
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        return Mono.fromRunnable(() -> {
            Threads.daemon("mcp-" + server.label() + "-in", () -> read(handler)).start();
            Threads.daemon("mcp-" + server.label() + "-out", this::write).start();
        });
    }

    private void read(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        try (Reader output = new InputStreamReader(server.output(), StandardCharsets.UTF_8)) {
            Lines lines = new Lines(output, MAX_LINE);
            for (String line = lines.next(); line != null; line = lines.next()) {
                receive(line, handler);
            }
            gone.complete(server.end());
        } catch (IOException e) {
            gone.complete(String.valueOf(e.getMessage()));
        } finally {
            close();
        }
    }

    private void receive(String line, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        JSONRPCMessage message;
        try {
            message = McpSchema.deserializeJsonRpcMessage(McpJson.MAPPER, line);
        } catch (IOException | RuntimeException e) {
            LOG.debug("{}: no message: {}", server.label(), line);
            server.keep(line);
            return;
        }
        Mono.just(message)
                .transform(handler)
                .subscribe(done -> {}, e -> LOG.debug("{}: a message went astray", server.label(), e));
    }

    private void write() {
        OutputStream input = server.input();
        try {
            while (!gone.isDone()) {
                input.write((waiting.take() + "\n").getBytes(StandardCharsets.UTF_8));
                input.flush();
            }
        } catch (IOException e) {
            LOG.debug("{}: it reads no more", server.label(), e); // the reading thread sees that it has gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromCallable(() -> {
            if (gone.isDone()) {
                throw new IOException(gone.join());
            }
            if (!waiting.offer(McpJson.text(message))) {
                throw new IOException("it does not read what it is sent");
            }
            return null;
        });
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return McpJson.MAPPER.convertValue(data, type);
    }

    @Override
    public CompletableFuture<String> gone() {
        return gone;
    }

    @Override
    public String said() {
        return server.said();
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(this::close);
    }

    @Override
    public void close() {
        gone.complete("it was closed");
        waiting.offer(""); // for the thread that waits for more
        server.close();
    }
}
