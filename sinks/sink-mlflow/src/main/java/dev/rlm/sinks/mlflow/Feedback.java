package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.Permits;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.mlflow.rest.MlflowResponse;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rewards as feedback on the traces of their runs: each once, also if another process sends it again. A few requests
 * are under way at once, since each is for one reward, and waits behind whatever else the server does.
 *
 * <p>MLflow takes feedback only on a trace of which it has a span. So a reward waits until one has arrived, or for a few
 * seconds, as another process may have sent one; a reward whose trace is still missing after two minutes is given up.
 *
 * <p>{@link #give} is called on the lane and waits for room; all else may be called on any thread.
 */
final class Feedback extends SinkPart<Feedback.Given> {
    private static final int ROOM = 50_000;
    private static final int TRACES = 20_000; // that are known to have arrived
    private static final int IN_FLIGHT = 4;
    private static final String API = "/api/3.0/mlflow/traces/";
    private static final long PATIENCE = Duration.ofSeconds(5).toNanos();
    private static final long RESENDING_PATIENCE =
            OUTAGE.giveUpAfter().toNanos(); // the spans are on their way, behind many others
    private static final Executor TWICE_A_SECOND =
            CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS, Runnable::run);
    private static final String NO_TRACE = "no_trace";

    private final TrackingServer server;
    private final DeliveryCounts counts;
    private final ContentCapture capture;
    private final boolean resending;
    private final Permits permits; // of all rewards that wait

    // Guarded by this
    private final Map<String, Waiting> waiting = new LinkedHashMap<>(); // by trace
    private final Map<String, Boolean> arrived = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > TRACES;
        }
    };
    private boolean looking; // for those that have waited long enough
    private boolean closed;

    /**
     * @param capture how much to say of why a reward is absent
     * @param resending whether the server may have some already
     * @param limits of all rewards that wait
     */
    Feedback(
            TrackingServer server,
            DeliveryCounts counts,
            ContentCapture capture,
            boolean resending,
            BatchLimits limits) {
        super("feedback", "rewards", "rewards", server, limits, OUTAGE);
        this.server = server;
        this.counts = counts;
        this.capture = capture;
        this.resending = resending;
        permits = new Permits(limits);
    }

    /**
     * Bounds of rewards.
     *
     * @param longestStall how long to wait in all for room while nothing arrives
     */
    static BatchLimits limits(Duration longestStall) {
        return BatchLimits.of(1)
                .linger(Duration.ZERO)
                .inFlight(IN_FLIGHT)
                .waiting(ROOM)
                .stall(longestStall, false);
    }

    /** A reward of the run that has this trace. */
    void give(RewardGiven reward, String traceId) {
        Failure refusal = permits.acquire(1);
        if (refusal != null) {
            count(refusal);
            return;
        }
        Given given = new Given(
                reward, traceId, System.nanoTime() + OUTAGE.giveUpAfter().toNanos());
        if (hasArrived(traceId)) {
            batcher().addBehind(List.of(given));
        } else if (!await(given)) {
            over(Failure.closed());
        }
    }

    private void count(@Nullable Failure failure) {
        counts.settled(1, status().settled(1, failure), failure);
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
        if (!looking) {
            looking = true;
            TWICE_A_SECOND.execute(this::look);
        }
        return true;
    }

    /** Sends those that have waited long enough. */
    private void look() {
        batcher().addBehind(take(System.nanoTime() - (resending ? RESENDING_PATIENCE : PATIENCE)));
        synchronized (this) {
            looking = !closed && !waiting.isEmpty();
            if (looking) {
                TWICE_A_SECOND.execute(this::look);
            }
        }
    }

    /** Spans of these traces have arrived. */
    void arrived(Set<String> traceIds) {
        List<Given> ready = take(traceIds);
        batcher().addBehind(resending && !ready.isEmpty() ? withoutThoseThere(ready) : ready);
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
        MlflowResponse answer = server.post(API + "batchGetInfos", Map.of("trace_ids", traces));
        Set<String> there = answer.isTaken() ? RewardAssessment.ids(answer.json()) : Set.of();
        Map<Boolean, List<Given>> byPresence = rewards.stream()
                .collect(Collectors.partitioningBy(given -> there.contains(RewardAssessment.id(given.reward()))));
        byPresence.getOrDefault(true, List.of()).forEach(given -> over(null));
        return byPresence.getOrDefault(false, List.of());
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

    @Override
    @Nullable
    Failure request(List<Given> rewards) {
        Given given = rewards.get(0);
        String path = API + "tr-" + given.traceId() + "/assessments";
        MlflowResponse answer = server.post(path, Map.of("assessment", RewardAssessment.of(given.reward(), capture)));
        if (answer.isGone()) {
            return Failure.of(NO_TRACE, "MLflow has no span of the trace", Remedy.NONE);
        }
        boolean unclear = answer.status() == 500 || answer.status() == 0; // also where it is there already
        return unclear && isThere(path, given.reward()) ? null : answer.failure();
    }

    private boolean isThere(String path, RewardGiven reward) {
        return server.get(path + "/" + RewardAssessment.id(reward), Map.of()).isTaken();
    }

    @Override
    public boolean done(List<Given> rewards, @Nullable Failure failure) {
        rewards.forEach(given -> settled(given, failure));
        return failure == null;
    }

    @Override
    void settled(Given given, @Nullable Failure failure) {
        boolean missing = failure != null && failure.reason().equals(NO_TRACE);
        if (missing && System.nanoTime() - given.giveUpAt() < 0 && await(given)) {
            forget(given.traceId());
        } else {
            over(failure);
        }
    }

    private void over(@Nullable Failure failure) {
        permits.release(1, failure == null);
        count(failure);
    }

    /** It was deleted, or is another server's. */
    private synchronized void forget(String traceId) {
        arrived.remove(traceId);
    }

    @Override
    boolean flush(long by) {
        batcher().addBehind(take(System.nanoTime()));
        boolean brought = batcher().flush(by);
        synchronized (this) {
            return brought && waiting.isEmpty();
        }
    }

    /** Ends the lane's waits for room too. */
    @Override
    void beginClose(long end) {
        permits.beginClose();
        super.beginClose(end);
    }

    @Override
    void close() {
        synchronized (this) {
            closed = true;
        }
        super.close();
        take(System.nanoTime()).forEach(given -> over(Failure.closed()));
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
