package dev.rlm.recorder;

import dev.rlm.cli.http.Access;
import dev.rlm.cli.http.JsonServer;
import dev.rlm.cli.http.RefusedException;
import dev.rlm.cli.rollout.CallPath;
import dev.rlm.cli.rollout.RolloutDoor;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** HTTP server of {@code record}, for this machine alone: takes events, and answers trainers. */
final class RecordServer implements AutoCloseable {
    private static final String EVENTS = "/v1/events";
    private static final String HEALTH = "/v1/health";
    private static final Duration BODY_TIME = Duration.ofSeconds(30);
    private static final int WORKERS = 64;
    private static final int MAX_LINES = 1_024; // of a group, whose answers are held until it is synced
    private static final Set<String> TYPES = Set.of("application/json", "application/x-ndjson");

    private final Access access;
    private final Recorder recorder;
    private final RolloutDoor door;
    private final Semaphore places = new Semaphore(WORKERS);
    private final JsonServer server;

    /** Listens on that port of the loopback address; on any free one where it is 0. */
    RecordServer(int port, Access access, Recorder recorder, RolloutDoor door) {
        this.access = access;
        this.recorder = recorder;
        this.door = door;
        InetAddress loopback = JsonServer.host("127.0.0.1");
        server = new JsonServer(
                "rlm-record-http", WORKERS + RolloutDoor.THREADS, loopback, port, RecordServer::error, this::answer);
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

    /** Returns where events go. */
    String url() {
        return "http://127.0.0.1:" + server.port() + EVENTS;
    }

    /** Accepts nothing more, and lets the requests that are under way come to their end, for a moment. */
    @Override
    public void close() {
        server.close();
    }

    @SuppressWarnings("CatchThrowable") // no client is to wait for what cannot go on
    private void answer(Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        try {
            access.checkHost(request);
            String path = request.getHttpURI().getPath();
            if (path.equals(HEALTH)) {
                allow("GET", request);
                JsonServer.answer(response, 200, result(true, "synced", recorder.isDurable()), callback);
            } else if (path.equals(EVENTS)) {
                allow("POST", request);
                checkEvents(request);
                record(request, new AnswerStream(response, callback));
            } else {
                String job = access.job(request.getHeaders(), null);
                if (!door.answer(request, CallPath.of(path).with(request.getHeaders(), job), response, callback)) {
                    throw new RefusedException(
                            404, "there are POST " + EVENTS + ", POST /logs, GET /v1/status and more");
                }
            }
        } catch (Error e) {
            RecorderThreads.end(e);
        }
    }

    private static void allow(String method, Request request) throws RefusedException {
        if (!request.getMethod().equals(method)) {
            throw RefusedException.allowing(method);
        }
    }

    private void checkEvents(Request request) throws RefusedException {
        if (!access.job(request.getHeaders(), null).equals(Access.ALL)) {
            throw new RefusedException(403, "events are for the recorder's own token, not for a job's");
        }
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        if (type == null || !TYPES.contains(type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))) {
            throw new RefusedException(415, "the Content-Type must be application/x-ndjson or application/json");
        } else if (request.getLength() > BodySpool.MAX_LENGTH) {
            throw JsonServer.tooLong(BodySpool.MAX_LENGTH);
        }
    }

    /**
     * Records the lines of a request and answers them. Only once the whole body has come: most clients read no answer before, and
     * would wait for the server as it waits for them.
     */
    private void record(Request request, AnswerStream answers) throws IOException, InterruptedException {
        try (InputStream body = BodySpool.read(JsonServer.body(request, BODY_TIME));
                LineReader lines = new LineReader(body, recorder.memory())) {
            places.acquire();
            try {
                record(lines, answers);
            } finally {
                places.release();
            }
        }
        answers.end();
    }

    private void record(LineReader lines, AnswerStream answers) throws IOException {
        Client client = new Client("that this request has started");
        List<RawLine> group = new ArrayList<>();
        long weight = 0;
        boolean empty = true;
        for (RawLine line = lines.next(); line != null; line = lines.next()) {
            group.add(line);
            weight += line.weight();
            empty = false;
            if (group.size() >= MAX_LINES || weight > recorder.memory().smallLine()) {
                recorder.record(group, client, false).forEach(answers::add);
                group.clear();
                weight = 0;
            }
        }
        if (empty) {
            throw new RefusedException(400, "the body is empty: expected events, one JSON object a line");
        } else if (!group.isEmpty()) {
            recorder.record(group, client, false).forEach(answers::add);
        }
    }
}
