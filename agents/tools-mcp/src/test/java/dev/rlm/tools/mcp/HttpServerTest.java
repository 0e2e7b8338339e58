package dev.rlm.tools.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.sinks.event.RunStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Servers at a URL, by streamable HTTP: a real one, by hand. */
class HttpServerTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String TOKEN = "t0ken";

    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch over = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/mcp", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/mcp";
    }

    private void answer(HttpExchange exchange) throws IOException {
        requests.add(exchange.getRequestMethod());
        JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
        if (!("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            send(exchange, 401, "");
        } else if (!exchange.getRequestMethod().equals("POST")) {
            send(exchange, exchange.getRequestMethod().equals("DELETE") ? 200 : 405, "");
        } else if (request.has("id")) {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.getResponseHeaders().add("Mcp-Session-Id", "session-1");
            ObjectNode reply = RawServer.reply(request, List.of("echo", "hang"));
            send(exchange, 200, (reply == null ? call(request) : reply).toString());
        } else {
            send(exchange, 202, "");
        }
    }

    private ObjectNode call(JsonNode request) {
        JsonNode params = request.path("params");
        if (params.path("name").asString().equals("hang")) {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0");
        reply.set("id", request.get("id"));
        RawServer.text(reply, params.path("arguments").path("text").asString());
        return reply;
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Test
    void toolsAtAUrl_areCalled_andTheCallsTellTheSession() throws Exception {
        try (Rig rig = Rig.of(Rig.with(TOKEN, url()))) {
            assertThat(rig.names()).containsExactly("echo", "hang");
            assertThat(rig.call("echo", "{\"text\":\"ä\"}")).isEqualTo("ä");

            assertThat(rig.recorded().get(0).attributes())
                    .containsEntry("network.transport", "tcp")
                    .containsEntry("network.protocol.name", "http")
                    .containsEntry("server.address", "127.0.0.1")
                    .containsEntry("server.port", server.getAddress().getPort())
                    .containsEntry("mcp.session.id", "session-1")
                    .containsEntry("mcp.protocol.version", "2025-11-25")
                    .containsKey("jsonrpc.request.id");
        }
        assertThat(requests).as("the session is ended").contains("DELETE");
    }

    @Test
    void tokenThatIsMissing_isAskedFor() {
        assertThatThrownBy(() -> Rig.of(Rig.address(url())))
                .isInstanceOf(SetupException.class)
                .hasMessage("the MCP server '" + url()
                        + "' cannot be used: it answered 401: it wants a token, or another one");
    }

    @Test
    void serverThatIsNotThere_isAnErrorOfOneLine() {
        stop();
        assertThatThrownBy(() -> Rig.of(Rig.address(url())))
                .isInstanceOf(SetupException.class)
                .hasMessageStartingWith("the MCP server '" + url() + "' cannot be used: ");
    }

    @Test
    void token_goesToNobodyInTheClear_andNoUrlHoldsAPassword() {
        assertThatThrownBy(() -> Rig.of(Rig.with(TOKEN, "http://example.org/mcp")))
                .isInstanceOf(SetupException.class)
                .hasMessage("no token is sent to http://example.org/mcp: expected https");
        assertThatThrownBy(() -> Rig.of(Rig.address("https://me:s3cret@example.org/mcp?key=s3cret")))
                .isInstanceOf(SetupException.class)
                .hasMessageNotContaining("s3cret");
        assertThat(Rig.with(TOKEN, url()).toString()).doesNotContain(TOKEN);
    }

    @Tag("thorough")
    @Test
    void callThatTakesTooLong_fails() {
        ToolAddress address = new ToolAddress("", url(), Map.of(), TOKEN, Rig.PATIENCE, Duration.ofSeconds(1));
        try (Rig rig = Rig.of(address)) {
            assertThat(rig.failure("hang", "{}"))
                    .hasMessageContaining("did not answer in time")
                    .extracting("code")
                    .isEqualTo(RunStatus.DEADLINE_EXCEEDED);
        }
    }
}
