package dev.rlm.server.rollout;

import dev.rlm.cli.Commits;
import dev.rlm.cli.Durations;
import dev.rlm.json.Json;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.PathSegment;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.event.RunStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Logs, statuses and traces of rollouts, as trainers send and ask for them over HTTP; a job sees its own. What it answers was synced
 * before. Safe for use by several threads.
 */
public final class RolloutRequests {
    /** Number of threads that a server needs for these requests: waits for statuses may take most of them. */
    public static final int THREADS = 160;

    private static final int MAX_BODY = 1 << 20;
    private static final Duration BODY_TIME = Duration.ofSeconds(60);
    private static final int MAX_ENTRIES = 1_000;
    private static final int MAX_ROLLOUTS = 64; // of a line: each is a run to look for, and maybe to begin
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_WAITERS = 128;
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);
    private static final String TAG = RolloutIds.ROLLOUT + ":";

    private final Rollouts rollouts;
    private final RolloutStates states;
    private final Commits commits;
    private final MemoryBudget memory;
    private final Semaphore waiters = new Semaphore(MAX_WAITERS);

    /**
     * One that waits for the sinks before it answers.
     *
     * @param memory for what requests send
     */
    public RolloutRequests(Rollouts rollouts, Commits commits, MemoryBudget memory) {
        this.rollouts = rollouts;
        this.states = rollouts.states();
        this.commits = commits;
        this.memory = memory;
    }

    /**
     * Answers a request if it asks for what is answered here; whether it did.
     *
     * @param path with the job that asks
     */
    public boolean answer(Request request, CallPath path, Response response, Callback callback)
            throws IOException, InterruptedException {
        String[] segments = path.rest().split("/", -1);
        if (!serves(request.getMethod(), segments)) {
            return false;
        }
        for (int i = 0; i < segments.length; i++) {
            segments[i] = PathSegment.decoded(segments[i]);
        }
        try (MemoryBudget.Share share = memory.share()) {
            byte[] sent = JsonServer.body(request, MAX_BODY, share, BODY_TIME);
            ObjectNode body = sent.length == 0 ? JsonNodeFactory.instance.objectNode() : JsonServer.object(sent, share);
            Fields query = Request.extractQueryParameters(request);
            Object answer = answer(
                    request.getMethod(), segments, query, body, path.ids().job());
            if (answer == null) {
                throw new RefusedException(404, "this rollout is not known");
            }
            JsonServer.answer(response, 200, answer, callback);
        }
        return true;
    }

    /** Returns whether requests for that are answered here, by the segments of the path. */
    private static boolean serves(String method, String[] path) {
        return switch (path[0]) {
            case "logs", "status" -> path.length == 1;
            case "traces" -> path.length == 2 && path[1].equals("pointwise");
            case "rollouts" -> method.equals("GET") ? path.length <= 2 : path.length == 3 && path[2].equals("end");
            default -> false;
        };
    }

    /** The answer to a request; {@code null} where what is asked for is not known. */
    private @Nullable Object answer(String method, String[] path, Fields query, ObjectNode body, String job)
            throws RefusedException, InterruptedException {
        boolean post = path[0].equals("rollouts") ? path.length == 3 : path[0].equals("logs") && !method.equals("GET");
        if (!method.equals(post ? "POST" : "GET")) {
            throw RefusedException.allowing(post ? "POST" : "GET");
        }
        return switch (path[0]) {
            case "status" -> {
                String id = required(query, RolloutIds.ROLLOUT);
                RolloutState state = awaited(job, id, query);
                yield state == null ? null : status(id, state);
            }
            case "logs" -> post ? log(body, job) : logs(states.get(job, rollout(query)), query);
            case "traces" -> traces(states.get(job, rollout(query)), query);
            default -> path.length == 1 ? list(job, query) : post ? end(job, path[1], body) : one(job, path[1], query);
        };
    }

    private static String required(Fields query, String name) throws RefusedException {
        String value = query.getValue(name);
        if (value == null || value.isEmpty()) {
            throw new RefusedException(400, "the parameter " + name + " must be given");
        }
        return value;
    }

    /** The rollout among the tags of a query. */
    private static String rollout(Fields query) throws RefusedException {
        for (String tag : query.getValuesOrEmpty("tags")) {
            if (tag.startsWith(TAG)) {
                return tag.substring(TAG.length());
            }
        }
        throw new RefusedException(400, "one of the parameters tags must be " + TAG + " and an id");
    }

    private static int limit(Fields query) throws RefusedException {
        String value = query.getValue("limit");
        if (value == null) {
            return DEFAULT_LIMIT;
        } else if (!value.matches("\\d{1,6}")) {
            throw new RefusedException(400, "the parameter limit must be a whole number");
        }
        return Math.min(MAX_ENTRIES, Integer.parseInt(value));
    }

    // ---- logs

    private Object log(ObjectNode sent, String job) throws RefusedException {
        LogEntry entry = LogEntry.of(sent, Instant.now());
        Set<String> ids = new LinkedHashSet<>();
        entry.tags().stream()
                .filter(tag -> tag.startsWith(TAG) && tag.length() > TAG.length())
                .forEach(tag -> ids.add(tag.substring(TAG.length())));
        if (ids.isEmpty()) {
            throw new RefusedException(400, "one of the tags must be " + TAG + " and an id");
        } else if (ids.size() > MAX_ROLLOUTS) {
            throw new RefusedException(
                    400, "the tags name " + ids.size() + " rollouts: a line tells of " + MAX_ROLLOUTS + " at the most");
        }
        Map<String, String> others = RolloutIds.ofTags(entry.tags());
        long losses = commits.losses();
        for (String id : ids) {
            RolloutIds each = new RolloutIds(job, Map.of(RolloutIds.ROLLOUT, id)).or(others);
            each.check();
            rollouts.log(each, entry);
        }
        sync(losses);
        return Map.of("ok", true);
    }

    private void sync(long losses) throws RefusedException {
        String problem = commits.await(losses).orElse(null);
        if (problem != null) {
            throw new RefusedException(503, problem);
        }
    }

    private Object logs(@Nullable RolloutState state, Fields query) throws RefusedException {
        List<Map<String, Object>> entries =
                state == null ? List.of() : state.entries(Instant.now(), rollouts.idleTimeout());
        List<String> tags = query.getValuesOrEmpty("tags").stream()
                .filter(tag -> !tag.startsWith(TAG))
                .toList();
        List<Map<String, Object>> chosen = entries.stream()
                .filter(entry -> ((List<?>) Objects.requireNonNull(entry.get("tags"))).containsAll(tags))
                .limit(limit(query))
                .toList();
        return Map.of("entries", chosen);
    }

    // ---- statuses

    private Map<String, Object> status(String id, RolloutState state) {
        Integer code = state.code(Instant.now(), rollouts.idleTimeout());
        Map<String, Object> told = new LinkedHashMap<>();
        told.put(RolloutIds.ROLLOUT, id);
        told.put("status", code == null ? null : Map.of("code", code));
        told.put("extras", null);
        return told;
    }

    /** The state of a rollout; with {@code wait} once it has a final status, or that time is over. */
    private @Nullable RolloutState awaited(String job, String id, Fields query)
            throws RefusedException, InterruptedException {
        Duration time = wait(query.getValue("wait"));
        if (time.isZero() || !waiters.tryAcquire()) {
            return states.get(job, id);
        }
        try {
            Predicate<@Nullable RolloutState> over = state -> {
                Integer code = state == null ? null : state.code(Instant.now(), rollouts.idleTimeout());
                return code != null && code != RunStatus.RUNNING;
            };
            return states.await(job, id, over, time);
        } finally {
            waiters.release();
        }
    }

    private static Duration wait(@Nullable String value) throws RefusedException {
        try {
            Duration time = value == null ? Duration.ZERO : new Durations().convert(value);
            return time.compareTo(MAX_WAIT) > 0 ? MAX_WAIT : time;
        } catch (TypeConversionException e) {
            throw new RefusedException(400, "wait: " + e.getMessage());
        }
    }

    // ---- traces

    private Object traces(@Nullable RolloutState state, Fields query) throws RefusedException {
        List<Map<String, Object>> traces = state == null
                ? List.of()
                : states.lastCalls(state).stream()
                        .map(call -> Trace.of(call, state.ids()))
                        .toList();
        return Map.of(
                "project_id",
                "local",
                "total_traces",
                traces.size(),
                "traces",
                traces.stream().limit(limit(query)).toList());
    }

    // ---- rollouts

    private @Nullable Object one(String job, String id, Fields query) throws RefusedException, InterruptedException {
        RolloutState state = awaited(job, id, query);
        return state == null ? null : described(state);
    }

    private Map<String, Object> described(RolloutState state) {
        Map<String, Object> told = new LinkedHashMap<>(status(state.ids().rollout(""), state));
        told.remove("extras");
        state.ids().values().forEach((name, value) -> told.put(name.equals("run_id") ? "trainer_run_id" : name, value));
        told.put("run_id", state.run().runId());
        told.put("attempt", state.run().correlation().attempt());
        LastCall last = state.lastCalls().newest();
        told.put("model", last == null ? state.run().model() : last.model());
        told.put("calls", state.calls());
        told.put("started_at", state.run().startedAt().toString());
        told.put("heard_at", state.heardAt().toString());
        if (state.end() != null) {
            told.put("outcome", state.end().outcome().label());
            if (state.reward() != null) {
                told.put("reward", state.reward());
            }
        }
        return told;
    }

    /** Those in memory that the job may see and that have the ids and the code of the query. */
    private Object list(String job, Fields query) throws RefusedException {
        int limit = limit(query);
        List<Map<String, Object>> found = new ArrayList<>();
        for (RolloutState state : states.recent(job)) {
            boolean chosen = RolloutIds.NAMES.stream()
                    .allMatch(name -> query.getValue(name) == null
                            || query.getValue(name).equals(state.ids().get(name)));
            String code = query.getValue("code");
            if (chosen
                    && found.size() < limit
                    && (code == null
                            || code.equals(String.valueOf(state.code(Instant.now(), rollouts.idleTimeout()))))) {
                found.add(described(state));
            }
        }
        return Map.of("rollouts", found);
    }

    private @Nullable Object end(String job, String id, ObjectNode sent) throws RefusedException {
        int usual = switch (sent.path("outcome").stringValue("completed")) {
            case "completed" -> RunStatus.FINISHED;
            case "failed" -> RunStatus.INTERNAL;
            case "aborted" -> RunStatus.CANCELLED;
            default -> throw new RefusedException(400, "outcome must be completed, failed or aborted");
        };
        JsonNode reward = sent.path("reward");
        if (!reward.isMissingNode() && Json.number(reward) == null) {
            throw new RefusedException(400, "reward must be a number");
        }
        long losses = commits.losses();
        RolloutIds ids = new RolloutIds(job, Map.of(RolloutIds.ROLLOUT, id));
        LiveRollout.Ending ending = new LiveRollout.Ending(
                usual,
                sent.path("message").stringValue(""),
                Json.number(reward),
                sent.path("termination_reason").stringValue(null));
        boolean recorded =
                rollouts.end(ids, ending) || (ending.reward() != null && rollouts.reward(ids, ending.reward()));
        if (recorded) {
            sync(losses);
        }
        RolloutState known = states.get(job, id);
        RolloutState state = known == null && recorded ? states.reloadAll(job, id) : known;
        if (state != null && !recorded && !state.isOver()) {
            throw new RefusedException(409, "the end of this rollout's run is for the program that records it");
        }
        return state == null ? null : described(state);
    }
}
