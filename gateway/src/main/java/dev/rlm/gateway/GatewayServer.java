package dev.rlm.gateway;

import dev.rlm.cli.http.JsonServer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** HTTP server of the gateway: Jetty, with bounds for all that a client may send, and a thread for each request. */
final class GatewayServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayServer.class);
    private static final int MAX_HEAD = 32 << 10;
    private static final int MAX_LOG = 1 << 20;
    private static final int OTHER_THREADS = 160; // who waits for a status, and the server's own
    private static final Duration IDLE_TIME = Duration.ofSeconds(30);
    private static final Duration HEAD_TIME = Duration.ofSeconds(10);

    private final JsonServer server;
    private final Access access;
    private final Forwarder forwarder;
    private final RolloutDoor door;

    /**
     * Listens there.
     *
     * @param port 0 for any free one
     * @throws IOException if the port cannot be had
     */
    GatewayServer(InetAddress host, int port, int maxCalls, Access access, Forwarder forwarder, RolloutDoor door)
            throws IOException {
        this.access = access;
        this.forwarder = forwarder;
        this.door = door;
        HttpConfiguration http = new HttpConfiguration();
        http.setSendDateHeader(false);
        http.setRequestHeaderSize(MAX_HEAD);
        server = new JsonServer("rlm-gateway", maxCalls + OTHER_THREADS, http, host, port);
        server.connector().setIdleTimeout(IDLE_TIME.toMillis());
        server.closeSilent(HEAD_TIME);
        server.start(new Requests(), new JsonErrors());
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }

    /** Says what is wrong as the APIs of models do. */
    private static final class JsonErrors extends ErrorHandler {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Object message = request.getAttribute(ERROR_MESSAGE);
            boolean coding = String.valueOf(message).startsWith("Bad Transfer-Encoding");
            answer(
                    response,
                    coding ? 501 : response.getStatus(),
                    error(message == null ? "the request is not valid" : message.toString()),
                    callback);
            return true;
        }
    }

    private static Object error(String message) {
        return Map.of("error", Map.of("message", message, "type", "gateway_error"));
    }

    private static void answer(Response response, int status, Object body, Callback callback) {
        if (status == 503) {
            response.getHeaders().put("Retry-After", "1");
        }
        JsonServer.answer(response, status, body, callback);
    }

    private final class Requests extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            request.addIdleTimeoutListener(timeout -> false); // a model may think for long
            try {
                serve(request, response, callback);
            } catch (RefusedException e) {
                answer(response, e.status(), error(String.valueOf(e.getMessage())), callback);
            } catch (IOException e) {
                if (e instanceof HttpException || e.getCause() instanceof HttpException) {
                    answer(response, 400, error("the body is not valid"), callback);
                } else {
                    breakOff(request, e, callback);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                breakOff(request, e, callback);
            }
            return true;
        }

        private void serve(Request request, Response response, Callback callback)
                throws IOException, RefusedException, InterruptedException {
            access.check(name -> request.getHeaders().get(name));
            CallPath path = CallPath.of(request.getHttpURI().getPath())
                    .withHeaders(name -> request.getHeaders().get(name));
            String[] segments = path.rest().split("/", -1);
            if (RolloutDoor.serves(request.getMethod(), segments)) {
                for (int i = 0; i < segments.length; i++) {
                    segments[i] = CallPath.decoded(segments[i]);
                }
                byte[] body;
                try (MemoryBudget.Share share = forwarder.memory().share()) {
                    body = Forwarder.body(request, MAX_LOG, share);
                }
                Object answer =
                        door.answer(request.getMethod(), segments, Request.extractQueryParameters(request), body);
                answer(
                        response,
                        answer == null ? 404 : 200,
                        answer == null ? error("this rollout is not known") : answer,
                        callback);
            } else if (path.rest().isEmpty()) {
                throw new RefusedException(404, "there are calls of models below, POST /logs, GET /v1/status and more");
            } else if (forwarder.forward(request, path, response)) {
                callback.succeeded();
            } else {
                breakOff(request, new IOException("the reply broke off"), callback);
            }
        }

        /** Closes the connection: what was to be sent or read did not come whole. */
        private static void breakOff(Request request, Exception cause, Callback callback) {
            if (!(cause.getCause() instanceof TimeoutException)) {
                LOG.debug("a request was broken off: {}", cause.toString());
            }
            request.getConnectionMetaData().getConnection().getEndPoint().close();
            callback.failed(cause);
        }
    }
}
