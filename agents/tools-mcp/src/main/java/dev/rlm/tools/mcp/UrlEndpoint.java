package dev.rlm.tools.mcp;

import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.ToolAddress;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A server at a URL, by streamable HTTP. A token goes to it alone: redirects are not followed. */
final class UrlEndpoint implements ServerAddress {
    private static final Set<String> OF_THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final String SESSION = "Mcp-Session-Id";

    private final ToolAddress address;
    private final URI uri;

    UrlEndpoint(ToolAddress address) {
        this.address = address;
        this.uri = parse(address.location());
        if (uri.getUserInfo() != null) {
            throw new SetupException("the URL of the MCP server at " + label()
                    + " holds a user name or a password: give a token by RLM_MCP_TOKEN");
        }
        if (address.token() != null && !isSafe()) {
            throw new SetupException("no token is sent to " + label() + ": expected https");
        }
    }

    private static URI parse(String location) {
        try {
            URI uri = new URI(location);
            if (uri.getHost() != null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // falls through: the text may hold a password, and so may the exception
        }
        throw new SetupException("the URL of an MCP server is not valid: expected http(s)://host[:port]/path");
    }

    private boolean isSafe() {
        return "https".equalsIgnoreCase(uri.getScheme()) || OF_THIS_MACHINE.contains(uri.getHost());
    }

    @Override
    public String label() {
        return uri.getScheme() + "://" + uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()) + path();
    }

    private String path() {
        return uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    }

    @Override
    public Link open() {
        return new HttpLink();
    }

    @Override
    public Map<String, Object> attributes() {
        int usual = "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
        Map<String, Object> attributes = new LinkedHashMap<>();
        attributes.put("network.transport", "tcp");
        attributes.put("network.protocol.name", "http");
        attributes.put("server.address", uri.getHost());
        attributes.put("server.port", uri.getPort() < 0 ? usual : uri.getPort());
        return attributes;
    }

    /** Each request stands for itself, and so the link never ends by itself. */
    private final class HttpLink implements Link {
        private final CompletableFuture<String> gone = new CompletableFuture<>();
        private final HttpClientStreamableHttpTransport transport;
        private volatile @Nullable String session;

        HttpLink() {
            String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            transport = HttpClientStreamableHttpTransport.builder(uri.getScheme() + "://" + uri.getRawAuthority())
                    .endpoint(path() + query)
                    .jsonMapper(McpJson.MAPPER)
                    .connectTimeout(address.startTime())
                    .addHttpRequestCustomizer((request, method, to, body, context) -> prepare(request, to))
                    .build();
        }

        /** Adds the token, and notes the session's id from the headers: the SDK does not expose it. */
        private void prepare(HttpRequest.Builder request, URI to) {
            if (address.token() != null) {
                request.header("Authorization", "Bearer " + address.token());
            }
            request.copy().uri(to).build().headers().firstValue(SESSION).ifPresent(id -> session = id);
        }

        @Override
        public McpClientTransport transport() {
            return transport;
        }

        @Override
        public CompletableFuture<String> gone() {
            return gone;
        }

        @Override
        public String said() {
            return "";
        }

        @Override
        public Optional<String> sessionId() {
            return Optional.ofNullable(session);
        }

        @Override
        public void close() {
            gone.complete("it was closed");
        }
    }
}
