package dev.rlm.runner.serve;

import dev.rlm.episodes.SetupException;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.node.ObjectNode;

/** HTTP server of {@code serve}. A request that waits for a place takes no thread. */
final class RolloutServer implements AutoCloseable {
    private static final int THREADS = 64;
    private static final int MAX_BODY = 16 << 20;
    private static final int MOST_OF_HEAP = 4; // a share of it that requests which are read, or wait, may take
    private static final Duration BODY_TIME = Duration.ofSeconds(30);
    private static final Pattern INIT = Pattern.compile("(/[^/]+)*/+init/*");
    private static final Pattern CANCEL = Pattern.compile("(/[^/]+)*/+cancel/*");

    private final Access access;
    private final AllowedUrls allowed;
    private final InitRequest.Defaults defaults;
    private final WaitingRollouts rollouts;
    private final MemoryBudget memory = new MemoryBudget(Runtime.getRuntime().maxMemory() / MOST_OF_HEAP);
    private final JsonServer server;

    /** Listens. */
    RolloutServer(
            Endpoint endpoint,
            Access access,
            AllowedUrls allowed,
            InitRequest.Defaults defaults,
            WaitingRollouts rollouts) {
        this.access = access;
        this.allowed = allowed;
        this.defaults = defaults;
        this.rollouts = rollouts;
        server = new JsonServer("rlm-serve-http", THREADS, endpoint, RolloutServer::error, this::answer);
    }

    private static Map<String, ?> error(String message) {
        return Map.of("error", message);
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }

    private void answer(Request request, Response response, Callback callback) throws IOException {
        access.checkHost(request);
        boolean cancel = isCancel(request);
        MemoryBudget.Share share = memory.share(); // until the request is answered
        AtomicBoolean answered = new AtomicBoolean();
        WaitingRollouts.Reply reply = (status, body) -> {
            if (answered.compareAndSet(false, true)) {
                share.close();
                JsonServer.answer(response, status, body, callback);
            }
        };
        try {
            ObjectNode body = JsonServer.object(JsonServer.body(request, MAX_BODY, share, BODY_TIME), share);
            if (cancel) {
                cancel(request, body, reply);
            } else {
                InitRequest init = InitRequest.of(body, allowed, defaults);
                var unused = access.job(request.getHeaders(), init.key());
                rollouts.start(init, reply);
            }
        } catch (SetupException e) {
            reply.answer(400, error(String.valueOf(e.getMessage())));
        } catch (IOException | RuntimeException e) {
            share.close();
            throw e;
        }
    }

    /** The trainer's client has no header for the token, but sends its key in the body. */
    private void cancel(Request request, ObjectNode body, WaitingRollouts.Reply reply) throws RefusedException {
        var unused = access.job(request.getHeaders(), body.path("api_key").stringValue(null));
        if (!rollouts.cancel(body.path("rollout_id").stringValue(""))) {
            throw new RefusedException(404, "no such rollout goes on");
        }
        reply.answer(200, Map.of("status", "cancelled"));
    }

    /** Returns whether a request asks to cancel a rollout, and not to begin one. */
    private boolean isCancel(Request request) throws RefusedException {
        String path = request.getHttpURI().getPath();
        boolean cancel = CANCEL.matcher(path).matches();
        if (!cancel && !INIT.matcher(path).matches()) {
            throw new RefusedException(404, "there are POST /init and POST /cancel");
        } else if (!request.getMethod().equals("POST")) {
            throw RefusedException.allowing("POST");
        }
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new RefusedException(415, "the Content-Type must be application/json");
        }
        return cancel;
    }
}
