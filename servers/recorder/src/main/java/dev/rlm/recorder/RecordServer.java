package dev.rlm.recorder;

import dev.rlm.cli.Token;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** HTTP server of {@code record}: takes events, and answers trainers. */
public final class RecordServer implements AutoCloseable {
    private static final String HEALTH = "/v1/health";

    private final Endpoint endpoint;
    private final Access access;
    private final Recorder recorder;
    private final RecordRequests requests;
    private final JsonServer server;

    /** Listens there. */
    RecordServer(Endpoint endpoint, Access access, Recorder recorder, RecordRequests requests) {
        this.endpoint = endpoint;
        this.access = access;
        this.recorder = recorder;
        this.requests = requests;
        server = new JsonServer("rlm-record-http", RecordRequests.THREADS, endpoint, RecordServer::error, this::answer);
    }

    /** Starts one that records events of new runs in these sinks, and has all requests sign in. */
    public static RecordServer open(Sinks sinks, Endpoint endpoint, Token token) {
        Access access = new Access(token, Map.of(), endpoint.host().isLoopbackAddress());
        Recorder recorder = new Recorder(sinks, new RunEnding.Solved(1, PassOn.LAST), JournalRuns.NONE);
        return new RecordServer(endpoint, access, recorder, new RecordRequests(access, recorder));
    }

    private static Object error(String message) {
        return result(false, "error", message);
    }

    private static Object result(boolean ok, String name, Object value) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("ok", ok);
        result.put(name, value);
        return result;
    }

    /** Returns where it listens, without a path. */
    String url() {
        return endpoint.url(server.port());
    }

    /** Returns the port at which it listens. */
    public int port() {
        return server.port();
    }

    /** Accepts nothing more, lets the requests that are under way come to their end, for a moment, and aborts the runs that are open. */
    @Override
    public void close() {
        server.close();
        requests.close();
    }

    @SuppressWarnings("CatchThrowable") // no client is to wait for what cannot go on
    private void answer(Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        try {
            access.checkHost(request);
            String path = request.getHttpURI().getPath();
            if (path.equals(HEALTH)) {
                if (!request.getMethod().equals("GET")) {
                    throw RefusedException.allowing("GET");
                }
                JsonServer.answer(response, 200, result(true, "synced", recorder.isDurable()), callback);
            } else if (!requests.answer(request, response, callback)) {
                throw new RefusedException(
                        404, "there are POST " + RecordRequests.EVENTS + ", POST /logs, GET /v1/status and more");
            }
        } catch (Error e) {
            RecorderThreads.end(e);
        }
    }
}
