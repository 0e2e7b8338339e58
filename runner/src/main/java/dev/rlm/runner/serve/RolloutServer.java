package dev.rlm.runner.serve;

import dev.rlm.cli.Token;
import dev.rlm.cli.http.JsonServer;
import dev.rlm.episodes.SetupException;
import dev.rlm.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** HTTP server of {@code serve}. A request that waits for a place takes no thread. */
final class RolloutServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RolloutServer.class);
    private static final int THREADS = 64;
    private static final int MAX_HEAD = 16 << 10;
    private static final int MAX_BODY = 16 << 20;
    private static final int PIECE = 1 << 16;
    private static final int MOST_OF_HEAP = 8; // a share of it that bodies which are read, or wait, may take
    private static final Duration BODY_TIME = Duration.ofSeconds(30);
    private static final Pattern INIT = Pattern.compile("(/[^/]+)*/+init/*");
    private static final Pattern CANCEL = Pattern.compile("(/[^/]+)*/+cancel/*");

    private final JsonServer server;
    private final boolean loopback;
    private final @Nullable Token token;
    private final AllowedUrls allowed;
    private final InitRequest.Defaults defaults;
    private final Rollouts rollouts;
    private final AtomicLong held = new AtomicLong(); // bytes
    private volatile boolean draining;

    /**
     * Listens.
     *
     * @param port 0 for any free one
     * @param token what requests must know; {@code null} for nothing
     * @throws IOException if the port cannot be had
     */
    RolloutServer(
            InetAddress host,
            int port,
            @Nullable Token token,
            AllowedUrls allowed,
            InitRequest.Defaults defaults,
            Rollouts rollouts)
            throws IOException {
        this.loopback = host.isLoopbackAddress();
        this.token = token;
        this.allowed = allowed;
        this.defaults = defaults;
        this.rollouts = rollouts;
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(MAX_HEAD);
        server = new JsonServer("rlm-serve-http", THREADS, http, host, port);
        server.start(new Requests(), new JsonErrors());
    }

    int port() {
        return server.port();
    }

    /** Takes no more rollouts. */
    void drain() {
        draining = true;
    }

    @Override
    public void close() {
        server.close();
    }

    private static final class JsonErrors extends ErrorHandler {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Object message = request.getAttribute(ERROR_MESSAGE);
            JsonServer.answer(response, response.getStatus(), Map.of("error", String.valueOf(message)), callback);
            return true;
        }
    }

    private final class Requests extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            AtomicLong size = new AtomicLong();
            AtomicBoolean answered = new AtomicBoolean();
            Rollouts.Reply reply = (status, body) -> {
                if (answered.compareAndSet(false, true)) {
                    held.addAndGet(-size.get());
                    JsonServer.answer(response, status, body, callback);
                }
            };
            try {
                boolean cancel = check(request);
                byte[] body = body(request, size);
                request.addIdleTimeoutListener(timeout -> false); // it may wait for a place
                if (cancel) {
                    cancel(request, body, reply);
                    return true;
                }
                InitRequest init = InitRequest.of(body, allowed, defaults);
                checkToken(request, init.key());
                rollouts.start(init, reply);
            } catch (RefusedException e) {
                reply.answer(e.status, Map.of("error", String.valueOf(e.getMessage())));
            } catch (SetupException e) {
                reply.answer(400, Map.of("error", String.valueOf(e.getMessage())));
            } catch (IOException e) {
                LOG.debug("a request was broken off: {}", e.toString());
                reply.answer(400, Map.of("error", "the body did not come whole"));
            }
            return true;
        }

        private void cancel(Request request, byte[] body, Rollouts.Reply reply) throws RefusedException {
            JsonNode json;
            try {
                json = Json.REPLY.object(body, 0, body.length);
            } catch (JacksonException e) {
                throw new SetupException("the body is no JSON object: " + Json.reason(e));
            }
            checkToken(request, json.path("api_key").stringValue(null));
            boolean goesOn = rollouts.cancel(json.path("rollout_id").stringValue(""));
            reply.answer(
                    goesOn ? 200 : 404,
                    goesOn ? Map.of("status", "cancelled") : Map.of("error", "no such rollout goes on"));
        }

        /** Returns whether it asks to cancel a rollout, and not to begin one. */
        private boolean check(Request request) throws RefusedException {
            boolean cancel = CANCEL.matcher(request.getHttpURI().getPath()).matches();
            if (loopback && !JsonServer.isLocal(request.getHeaders().get(HttpHeader.HOST))) {
                throw new RefusedException(403, "the Host header must be 127.0.0.1 or localhost");
            } else if (!cancel && !INIT.matcher(request.getHttpURI().getPath()).matches()) {
                throw new RefusedException(404, "there are POST /init and POST /cancel");
            } else if (!request.getMethod().equals("POST")) {
                throw new RefusedException(405, "only POST is allowed here");
            } else if (draining && !cancel) {
                throw new RefusedException(503, "the server is about to end");
            }
            String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
            if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
                throw new RefusedException(415, "the Content-Type must be application/json");
            } else if (request.getLength() > MAX_BODY) {
                throw new RefusedException(413, "the body is longer than 16 MiB");
            }
            return cancel;
        }

        /** The trainer's client has no header for it, but sends its key in the body. */
        private void checkToken(Request request, @Nullable String key) throws RefusedException {
            if (token != null
                    && !token.isIn(request.getHeaders().get(HttpHeader.AUTHORIZATION))
                    && !token.isIn("Bearer " + key)) {
                throw new RefusedException(
                        401, "the header Authorization must be 'Bearer ' and the token, or api_key the token");
            }
        }

        private byte[] body(Request request, AtomicLong size) throws IOException, RefusedException {
            long by = System.nanoTime() + BODY_TIME.toNanos();
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            byte[] piece = new byte[PIECE];
            try (InputStream in = Content.Source.asInputStream(request)) {
                for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                    body.write(piece, 0, count);
                    size.addAndGet(count);
                    if (held.addAndGet(count) > Runtime.getRuntime().maxMemory() / MOST_OF_HEAP) {
                        throw new RefusedException(503, "too much is waiting already");
                    } else if (body.size() > MAX_BODY) {
                        throw new RefusedException(413, "the body is longer than 16 MiB");
                    } else if (System.nanoTime() - by > 0) {
                        throw new RefusedException(408, "the body did not come in time");
                    }
                }
            }
            return body.toByteArray();
        }
    }

    /** A request that is not taken. The message is for the client. */
    private static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        private final int status;

        RefusedException(int status, String message) {
            super(message);
            this.status = status;
        }
    }
}
