package dev.rlm.recorder;

import dev.rlm.server.http.Access;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.RefusedException;
import dev.rlm.server.rollout.CallPath;
import dev.rlm.server.rollout.RolloutRequests;
import dev.rlm.server.rollout.Rollouts;
import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Requests of {@code record} for the HTTP server of any verb: events, and logs and questions of trainers. Safe for use by several threads. */
public final class RecordRequests implements AutoCloseable {
    /** Path to which events go. */
    public static final String EVENTS = "/v1/events";

    /** Time without a word of a run after which it is abandoned, unless an option says otherwise. */
    public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(10);

    private static final int WORKERS = 64;

    /** Threads of a server that may be taken by these requests. */
    public static final int THREADS = WORKERS + RolloutRequests.THREADS;

    private static final Duration BODY_TIME = Duration.ofSeconds(30);
    private static final int MAX_LINES = 1_024; // of a group, whose answers are held until it is synced
    private static final long ROOM_FOR_LOGS = Runtime.getRuntime().maxMemory() / 16;
    private static final Set<String> TYPES = Set.of("application/json", "application/x-ndjson");

    private final Access access;
    private final Recorder recorder;
    private final @Nullable Rollouts rollouts; // null where trainers ask nothing here
    private final @Nullable RolloutRequests rolloutRequests;
    private final ExecutorService watch;
    private final Semaphore places = new Semaphore(WORKERS);

    RecordRequests(Sinks sinks, SinkConfig config, Access access, Recorder recorder, Duration idleTimeout) {
        this.access = access;
        this.recorder = recorder;
        rollouts = new Rollouts(sinks, config, this::reward, idleTimeout);
        watch = recorder.runs().abandonSilent(idleTimeout);
        rolloutRequests = new RolloutRequests(rollouts, recorder.commits(), new MemoryBudget(ROOM_FOR_LOGS));
    }

    /** Makes those that take events alone. */
    RecordRequests(Access access, Recorder recorder) {
        this.access = access;
        this.recorder = recorder;
        rollouts = null;
        watch = recorder.runs().abandonSilent(IDLE_TIMEOUT);
        rolloutRequests = null;
    }

    /** Returns some that record in these sinks. */
    public static RecordRequests open(Sinks sinks, SinkConfig config, Access access, double passReward) {
        RunEnding.Solved solved = new RunEnding.Solved(passReward, PassOn.LAST);
        Recorder recorder = new Recorder(sinks, solved, JournalRuns.of(sinks, config));
        return new RecordRequests(sinks, config, access, recorder, IDLE_TIMEOUT);
    }

    private boolean reward(String runId, String source, double value) throws RefusedException {
        try {
            return recorder.runs().reward(runId, source, value);
        } catch (dev.rlm.recorder.LineRefusedException e) {
            throw new RefusedException(409, "run " + runId + ": " + e.getMessage());
        }
    }

    /** Answers a request, unless its path is not known here; returns whether it is. */
    public boolean answer(Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        String path = request.getHttpURI().getPath();
        if (path.equals(EVENTS) && !request.getMethod().equals("POST")) {
            throw RefusedException.allowing("POST");
        }
        String job = access.job(request.getHeaders(), null);
        if (!path.equals(EVENTS)) {
            return rolloutRequests != null
                    && rolloutRequests.answer(
                            request, CallPath.of(path).with(request.getHeaders(), job), response, callback);
        }
        checkEvents(request, job);
        record(request, new AnswerStream(response, callback));
        return true;
    }

    private static void checkEvents(Request request, String job) throws RefusedException {
        if (!job.equals(Access.ALL)) {
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
        try (InputStream body = JsonServer.body(request, BodySpool.class, BodySpool::new, BODY_TIME).stream();
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

    /** Returns whether all that came has been recorded, as far as is known. */
    public boolean isComplete() {
        return recorder.summary().isComplete();
    }

    /** Returns what was recorded, in words; nothing where no event came. */
    public List<String> summary() {
        return recorder.summary().isEmpty() ? List.of() : recorder.summary().lines();
    }

    /** Aborts the runs that are open. */
    @Override
    public void close() {
        watch.shutdownNow();
        if (rollouts != null) {
            rollouts.close();
        }
        recorder.runs().cutOff(Outcome.ABORTED, "the recorder was stopped");
    }
}
