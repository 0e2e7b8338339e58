package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.mlflow.rest.Answer;
import dev.rlm.sinks.mlflow.rest.Request;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.ContentCapture;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rewards as feedback on the traces of their runs: each once, whoever sends it again. A few requests are under way at once,
 * since each is for one reward, and waits behind whatever else the server does.
 *
 * <p>MLflow takes feedback only on a trace of which it has a span. So a reward waits until one has arrived, or for a few
 * seconds, as another process may have sent one; a reward whose trace is still missing after two minutes is given up.
 *
 * <p>{@link #give} is called on the lane and waits for {@link Room}; all else may be called on any thread.
 */
final class Feedback implements Courier.Load<Feedback.Given> {
    /** How many rewards may wait. */
    static final int PLACES = 50_000;

    private static final int TRACES = 20_000; // that are known to have arrived
    private static final int HANDS = 4;
    private static final String API = "/api/3.0/mlflow/traces/";
    private static final long OUTAGE = Duration.ofMinutes(2).toNanos();
    private static final long PATIENCE = Duration.ofSeconds(5).toNanos();
    private static final long RESENDING_PATIENCE = OUTAGE; // the spans are on their way, behind many others
    private static final String NO_TRACE = "no_trace";

    private final TrackingServer server;
    private final Account account;
    private final ContentCapture capture;
    private final boolean resending;
    private final Tally tally;
    private final Room room;
    private final Courier<Given> courier;

    // Guarded by this
    private final Map<String, Waiting> waiting = new LinkedHashMap<>(); // by trace
    private final Map<String, Boolean> arrived = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > TRACES;
        }
    };
    private boolean closed;

    /**
     * @param capture how much to say of why a reward is absent
     * @param resending whether the server may have some already
     * @param room of all rewards that wait
     */
    Feedback(TrackingServer server, Account account, ContentCapture capture, boolean resending, Room room) {
        this.server = server;
        this.account = account;
        this.capture = capture;
        this.resending = resending;
        tally = new Tally("rewards", "rewards", server.address());
        this.room = room;
        courier = new Courier<>("feedback", server, this, HANDS, 1, Duration.ZERO);
    }

    void start() {
        courier.start();
    }

    /** A reward of the run that has this trace. */
    void give(RewardGiven reward, String traceId) {
        String refusal = room.take(1);
        if (refusal != null) {
            lost(1, refusal);
            return;
        }
        Given given = new Given(reward, traceId, System.nanoTime() + OUTAGE);
        if (hasArrived(traceId)) {
            send(List.of(given));
        } else if (!await(given)) {
            giveUp(1);
        }
    }

    private void lost(int rewards, String reason) {
        tally.givenUp(rewards, reason);
        account.dropped(reason, rewards);
    }

    private synchronized boolean hasArrived(String traceId) {
        return arrived.containsKey(traceId);
    }

    private synchronized boolean await(Given given) {
        if (closed) {
            return false;
        }
        waiting.computeIfAbsent(given.traceId(), trace -> new Waiting(System.nanoTime()))
                .rewards()
                .add(given);
        return true;
    }

    /** Spans of these traces have arrived. */
    void arrived(Set<String> traceIds) {
        List<Given> ready = take(traceIds);
        send(resending && !ready.isEmpty() ? withoutThoseThere(ready) : ready);
    }

    private synchronized List<Given> take(Set<String> traceIds) {
        List<Given> ready = new ArrayList<>();
        for (String trace : traceIds) {
            arrived.put(trace, true);
            Waiting over = waiting.remove(trace);
            if (over != null) {
                ready.addAll(over.rewards());
            }
        }
        return ready;
    }

    /** One question for all saves two for each that is there; where it has no answer, nothing is known of any. */
    private List<Given> withoutThoseThere(List<Given> rewards) {
        List<String> traces = rewards.stream()
                .map(given -> "tr-" + given.traceId())
                .distinct()
                .toList();
        Answer answer = server.send(Request.post(API + "batchGetInfos", Map.of("trace_ids", traces)));
        Set<String> there = answer.isTaken() ? RewardForm.ids(answer.json()) : Set.of();
        Map<Boolean, List<Given>> byPresence = rewards.stream()
                .collect(Collectors.partitioningBy(given -> there.contains(RewardForm.id(given.reward()))));
        byPresence.getOrDefault(true, List.of()).forEach(given -> over(null));
        return byPresence.getOrDefault(false, List.of());
    }

    /** Those that have waited long enough. */
    @Override
    public void beat() {
        send(take(System.nanoTime() - (resending ? RESENDING_PATIENCE : PATIENCE)));
    }

    /** Those that have waited since then. */
    private synchronized List<Given> take(long since) {
        List<Given> ready = new ArrayList<>();
        Iterator<Waiting> eldestFirst = waiting.values().iterator();
        while (eldestFirst.hasNext()) {
            Waiting next = eldestFirst.next();
            if (next.since() - since > 0) {
                break;
            }
            ready.addAll(next.rewards());
            eldestFirst.remove();
        }
        return ready;
    }

    private void send(List<Given> ready) {
        for (Given given : ready) {
            if (!courier.offer(given)) {
                giveUp(1);
            }
        }
    }

    private void giveUp(int rewards) {
        room.free(rewards, false);
        lost(rewards, Failure.closed().reason());
    }

    @Override
    public @Nullable Failure bring(List<Given> rewards) {
        Given given = rewards.get(0);
        String path = API + "tr-" + given.traceId() + "/assessments";
        Answer answer = server.send(Request.post(path, Map.of("assessment", RewardForm.of(given.reward(), capture))));
        if (answer.isGone()) {
            return Failure.of(NO_TRACE, "MLflow has no span of the trace", Remedy.NONE);
        }
        boolean unclear = answer.status() == 500 || answer.status() == 0; // also where it is there already
        return unclear && isThere(path, given.reward()) ? null : answer.failure();
    }

    private boolean isThere(String path, RewardGiven reward) {
        return server.send(Request.get(path + "/" + RewardForm.id(reward), Map.of()))
                .isTaken();
    }

    @Override
    public void failing(Failure failure) {
        tally.failing(failure);
    }

    @Override
    public void done(List<Given> rewards, @Nullable Failure failure) {
        for (Given given : rewards) {
            boolean missing = failure != null && failure.reason().equals(NO_TRACE);
            if (missing && System.nanoTime() - given.giveUpAt() < 0 && await(given)) {
                forget(given.traceId());
            } else {
                over(failure);
            }
        }
    }

    private void over(@Nullable Failure failure) {
        room.free(1, failure == null);
        if (failure == null) {
            tally.arrived(1);
            account.delivered(1);
        } else {
            tally.failed(1, failure);
            account.dropped(failure.reason(), 1);
        }
    }

    /** It was deleted, or is another server's. */
    private synchronized void forget(String traceId) {
        arrived.remove(traceId);
    }

    /** Brings all there is. Whether all since the last flush has been taken before {@link System#nanoTime} is {@code by}. */
    boolean flush(long by) {
        send(take(System.nanoTime()));
        boolean brought = courier.flush(by);
        synchronized (this) {
            return brought && waiting.isEmpty();
        }
    }

    /** From now on nobody waits for room. */
    void beginClose() {
        room.beginClose();
    }

    /** Gives up what is left, and waits until {@code by} for a request that is under way. */
    void close(long by) {
        synchronized (this) {
            closed = true;
        }
        courier.close(by);
        giveUp(take(System.nanoTime()).size());
    }

    /** How it fares, and counts. */
    Health health() {
        return Standing.of(tally, "feedback_");
    }

    /**
     * A reward to be sent.
     *
     * @param giveUpAt when its trace has been missing for too long, in terms of {@link System#nanoTime}
     */
    record Given(RewardGiven reward, String traceId, long giveUpAt) {}

    /** Rewards of a trace that is missing. */
    private record Waiting(long since, List<Given> rewards) {
        Waiting(long since) {
            this(since, new ArrayList<>());
        }
    }
}
