package dev.rlm.cli.http;

import dev.rlm.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jetty with one connector, on daemon threads, whose own answers are JSON. */
public final class JsonServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JsonServer.class);
    private static final int BACKLOG = 4_096; // where it is full, the system drops connections and their clients stall
    private static final Set<String> LOCAL = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final Pattern PORT = Pattern.compile(":\\d+$");

    private final Server server;
    private final ServerConnector connector;

    /**
     * Creates a server that does not listen yet.
     *
     * @param name of its threads
     * @param http what differs from Jetty's defaults; the rest is set here
     * @param port 0 for any free one
     */
    public JsonServer(String name, int threads, HttpConfiguration http, InetAddress host, int port) {
        QueuedThreadPool pool = new QueuedThreadPool(threads);
        pool.setName(name);
        pool.setDaemon(true);
        server = new Server(pool);
        http.setSendServerVersion(false);
        http.setUriCompliance(
                UriCompliance.UNSAFE); // an id may hold anything, and a base that ends in a slash makes //
        connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        connector.setHost(host.getHostAddress());
        connector.setPort(port);
        connector.setAcceptQueueSize(BACKLOG);
        server.addConnector(connector);
    }

    /** Returns what accepts connections, for more settings before the start. */
    public ServerConnector connector() {
        return connector;
    }

    /** Closes connections on which no request has come for long: an idle time alone is met by a byte now and then. */
    public void closeSilent(Duration time) {
        connector.addBean(new Connection.Listener() {
            @Override
            public void onOpened(Connection connection) {
                connector
                        .getScheduler()
                        .schedule(
                                () -> {
                                    if (connection.getMessagesIn() == 0) {
                                        connection.getEndPoint().close();
                                    }
                                },
                                time.toMillis(),
                                TimeUnit.MILLISECONDS);
            }
        });
    }

    /**
     * Listens.
     *
     * @param errors answers requests that are not valid HTTP
     * @throws IOException if the port cannot be had
     */
    public void start(Handler requests, Request.Handler errors) throws IOException {
        server.setHandler(requests);
        server.setErrorHandler(errors);
        try {
            server.start();
        } catch (Exception e) {
            close();
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }

    /** Returns the port at which it listens. */
    public int port() {
        return connector.getLocalPort();
    }

    /** Stops to listen, and waits for a moment for what is under way. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            LOG.debug("the server was not stopped in order: {}", e.toString());
        }
    }

    /** Answers with an object as JSON. */
    public static void answer(Response response, int status, Object body, Callback callback) {
        byte[] bytes = Json.bytes(body);
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        response.write(true, ByteBuffer.wrap(bytes), callback);
    }

    /** Returns whether a Host header names this machine: a web page may get here by a name of its own. */
    public static boolean isLocal(@Nullable String host) {
        return host != null
                && LOCAL.contains(PORT.matcher(host.toLowerCase(Locale.ROOT)).replaceFirst(""));
    }
}
