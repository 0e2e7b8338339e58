package dev.rlm.gateway;

import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.RefusedException;
import dev.rlm.server.rollout.CallPath;
import dev.rlm.server.rollout.RolloutRequests;
import java.io.IOException;
import java.util.Map;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** HTTP server of the gateway: calls of models, and what trainers ask for. */
final class GatewayServer implements AutoCloseable {
    private final Access access;
    private final Forwarder forwarder;
    private final RolloutRequests rolloutRequests;
    private final JsonServer server;

    /** Listens there. */
    GatewayServer(
            Endpoint endpoint, int maxCalls, Access access, Forwarder forwarder, RolloutRequests rolloutRequests) {
        this.access = access;
        this.forwarder = forwarder;
        this.rolloutRequests = rolloutRequests;
        server = new JsonServer(
                "rlm-gateway", maxCalls + RolloutRequests.THREADS, endpoint, GatewayServer::error, this::answer);
    }

    /** Says what is wrong as the APIs of models do. */
    private static Object error(String message) {
        return Map.of("error", Map.of("message", message, "type", "gateway_error"));
    }

    int port() {
        return server.port();
    }

    private void answer(Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        access.checkHost(request);
        String job = access.job(request.getHeaders(), null);
        CallPath path = CallPath.of(request.getHttpURI().getPath()).with(request.getHeaders(), job);
        if (path.rest().isEmpty()) {
            throw new RefusedException(404, "there are calls of models below, POST /logs, GET /v1/status and more");
        } else if (!rolloutRequests.answer(request, path, response, callback)) {
            if (!forwarder.forward(request, path, response)) {
                throw new IOException("the reply broke off");
            }
            callback.succeeded();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
