package dev.rlm.server.http;

import dev.rlm.cli.UsageException;
import dev.rlm.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * HTTP server of a verb: Jetty with one connector, on daemon threads, and with bounds for all that a client may send. A connection
 * takes a thread only while a request of it is answered. Its own answers are JSON.
 */
public final class JsonServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JsonServer.class);
    private static final int BACKLOG = 4_096; // where it is full, the system drops connections and their clients stall
    private static final int MAX_HEAD = 32 << 10;
    private static final Duration IDLE_TIME = Duration.ofSeconds(30);
    private static final Duration HEAD_TIME = Duration.ofSeconds(10);

    private final Server server;
    private final ServerConnector connector;
    private final Function<String, Object> errors;

    /** Answers requests. Called by several threads. */
    @FunctionalInterface
    public interface Requests {
        /**
         * Answers a request, and completes the callback, now or later. Asked again where it wanted {@linkplain JsonServer#body a body} that
         * had not come.
         *
         * @throws RefusedException to answer with its status and message
         * @throws IOException to close the connection
         */
        void answer(Request request, Response response, Callback callback) throws IOException, InterruptedException;
    }

    /**
     * Listens.
     *
     * @param name of its threads
     * @param errors makes the body of an answer that tells what is wrong
     * @throws UsageException if the port cannot be had
     */
    public JsonServer(String name, int threads, Endpoint endpoint, Function<String, Object> errors, Requests requests) {
        this(name, threads, endpoint, errors, requests, http -> List.of(new HttpConnectionFactory(http)));
    }

    /**
     * Listens for requests of those protocols, the first of which is assumed, within TLS where the endpoint has it.
     *
     * @throws UsageException if the port cannot be had
     */
    public JsonServer(
            String name,
            int threads,
            Endpoint endpoint,
            Function<String, Object> errors,
            Requests requests,
            Function<HttpConfiguration, List<ConnectionFactory>> protocols) {
        this.errors = errors;
        QueuedThreadPool pool = new QueuedThreadPool(threads);
        pool.setName(name);
        pool.setDaemon(true);
        server = new Server(pool);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        http.setRequestHeaderSize(MAX_HEAD);
        http.setUriCompliance(
                UriCompliance.UNSAFE); // an id may hold anything, and a base that ends in a slash makes //
        List<ConnectionFactory> layers = new ArrayList<>(protocols.apply(http));
        if (endpoint.tls() != null) {
            layers.add(
                    0,
                    new SslConnectionFactory(
                            endpoint.tls().server(), layers.get(0).getProtocol()));
        }
        connector = new ServerConnector(server, 1, 1, layers.toArray(ConnectionFactory[]::new));
        connector.setHost(endpoint.host().getHostAddress());
        connector.setPort(endpoint.port());
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(IDLE_TIME.toMillis());
        connector.addBean(new HeadDeadline());
        server.addConnector(connector);
        server.setHandler(new Guarded(requests));
        server.setErrorHandler(new JsonErrors());
        try {
            server.start();
        } catch (Exception e) {
            close();
            throw new UsageException(
                    endpoint.option() + "=" + endpoint.port() + " cannot be had: " + e.getMessage()
                            + "; 0 takes a free one",
                    e);
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

    /**
     * Returns the body of a request. No thread waits for it: where it has not come whole, the caller is left by an exception that it passes
     * on, and is asked once more when it has. Until then it has nothing done that counts.
     *
     * @param max its longest length in bytes
     * @param within how long it may take to come
     */
    public static byte[] body(Request request, int max, Duration within) throws IOException {
        if (request.getLength() > max) {
            throw tooLong(max);
        }
        return ArrivingBody.of(request, BodyBytes.class, () -> new BodyBytes(max, request.getLength()), within)
                .take();
    }

    /** Returns the body in the same way, as a part of that share of the memory. */
    public static byte[] body(Request request, int max, MemoryBudget.Share share, Duration within) throws IOException {
        byte[] body = body(request, max, within);
        take(share, body.length);
        return body;
    }

    /** Returns the body in the same way, in a store of the given type, which the supplier makes at the first call. */
    public static <S extends BodyStore> S body(Request request, Class<S> type, Supplier<S> store, Duration within)
            throws IOException {
        return ArrivingBody.of(request, type, store, within);
    }

    private static void take(MemoryBudget.Share share, int bytes) throws RefusedException {
        if (!share.take(bytes)) {
            throw busy();
        }
    }

    /** Reads an object from the body of a request, within its share of the memory. */
    public static ObjectNode object(byte[] body, MemoryBudget.Share share) throws RefusedException {
        try {
            return Json.REPLY.object(new String(body, StandardCharsets.UTF_8), size -> {
                if (!share.take(size)) {
                    throw new TooLargeException();
                }
            });
        } catch (JacksonException e) {
            throw new RefusedException(400, "the body is no JSON object: " + Json.reason(e));
        } catch (TooLargeException e) {
            throw busy();
        }
    }

    private static final class TooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Returns the refusal of a body that is longer than that. */
    public static RefusedException tooLong(int max) {
        return new RefusedException(413, "the body is longer than " + (max >> 20) + " MiB");
    }

    /** Returns the refusal of a request for which there is no room. */
    public static RefusedException busy() {
        return new RefusedException(503, "too many or too large requests are under way: try again");
    }

    private void refuse(Response response, int status, String why, Callback callback) {
        if (status == 503) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
        } else if (status == 401) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
        }
        answer(response, status, errors.apply(why), LingeringClose.whereUnread(response, callback));
    }

    /** Closes connections on which no request has come for long: an idle time alone is met by a byte now and then. */
    private final class HeadDeadline implements Connection.Listener {
        @Override
        public void onOpened(Connection connection) {
            var unused = connector
                    .getScheduler()
                    .schedule(
                            () -> {
                                if (connection.getMessagesIn() == 0) {
                                    connection.getEndPoint().close();
                                }
                            },
                            HEAD_TIME.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    /** Says what is wrong with what is no HTTP. */
    private final class JsonErrors extends ErrorHandler {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Object message = request.getAttribute(ERROR_MESSAGE);
            boolean coding = String.valueOf(message).startsWith("Bad Transfer-Encoding");
            String why = message == null ? "the request is not valid" : message.toString();
            refuse(response, coding ? 501 : response.getStatus(), why, callback);
            return true;
        }
    }

    private final class Guarded extends Handler.Abstract {
        private final Requests requests;

        Guarded(Requests requests) {
            this.requests = requests;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            request.addIdleTimeoutListener(timeout -> false); // an answer may take long
            answer(request, response, callback);
            return true;
        }

        private void answer(Request request, Response response, Callback callback) {
            try {
                requests.answer(request, response, callback);
            } catch (ArrivingBody.AwaitedException e) {
                e.thenRun(() -> answer(request, response, callback), callback);
            } catch (RefusedException e) {
                if (e.allowed() != null) {
                    response.getHeaders().put(HttpHeader.ALLOW, e.allowed());
                }
                refuse(response, e.status(), String.valueOf(e.getMessage()), callback);
            } catch (IOException e) {
                if (e instanceof HttpException || e.getCause() instanceof HttpException) {
                    refuse(response, 400, "the body is not valid", callback);
                } else {
                    breakOff(request, e, callback);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                breakOff(request, e, callback);
            }
        }

        /** Closes the connection: what was to be sent or read did not come whole. */
        private static void breakOff(Request request, Exception cause, Callback callback) {
            LOG.debug("a request was broken off: {}", cause.toString());
            request.getConnectionMetaData().getConnection().getEndPoint().close();
            callback.failed(cause);
        }
    }
}
