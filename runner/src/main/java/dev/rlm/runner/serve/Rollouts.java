package dev.rlm.runner.serve;

import dev.rlm.episodes.Sample;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.EpisodeResult;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.job.ServedEpisodes;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.rollout.RolloutGateway;
import dev.rlm.sinks.rollout.RolloutGateways;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rollouts that were asked for: so many at a time, the others wait. A request for one that is known is a new attempt, before which
 * the old one is stopped. Safe for use by several threads.
 */
final class Rollouts implements RolloutGateways, AutoCloseable {
    /** Parameter of a run that names its gateway, for who tells of it after its process has died. */
    static final String GATEWAY = "rollout_gateway";

    private static final Logger LOG = LoggerFactory.getLogger(Rollouts.class);
    private static final int MAX_KNOWN = 100_000;
    private static final int MAX_WAITING = 1_024;
    private static final Duration END_TIME = Duration.ofSeconds(5); // of an attempt that was stopped
    private static final Duration ANNOUNCEMENT_TIME = Duration.ofSeconds(20);
    private static final Duration SYNC_TIME = Duration.ofSeconds(10);

    private final ServedEpisodes episodes;
    private final Sinks sinks;
    private final Map<String, Integer> earlier;
    private final @Nullable Duration timeout;
    private final AllowedUrls allowed;
    private final @Nullable String key;
    private final ThreadPoolExecutor places;
    private final ExecutorService answers = Executors.newCachedThreadPool(task -> daemon(task, "rlm-serve-answer"));
    private final Map<String, Boolean> secrets = new ConcurrentHashMap<>();
    private final Map<Outcome, AtomicInteger> ended = new ConcurrentHashMap<>();

    // By rollout; guarded by itself
    private final Map<String, RolloutAttempt> current = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RolloutAttempt> eldest) {
            return size() > MAX_KNOWN && eldest.getValue().over().isDone();
        }
    };

    /**
     * None so far.
     *
     * @param earlier the last attempts of earlier processes, by rollout
     * @param parallel how many at a time
     * @param timeout of each; {@code null} for none
     * @param key signs in at the gateways of runs that an earlier process left behind
     */
    Rollouts(
            ServedEpisodes episodes,
            Sinks sinks,
            Map<String, Integer> earlier,
            int parallel,
            @Nullable Duration timeout,
            AllowedUrls allowed,
            @Nullable String key) {
        this.episodes = episodes;
        this.sinks = sinks;
        this.earlier = earlier;
        this.timeout = timeout;
        this.allowed = allowed;
        this.key = key;
        this.places = new ThreadPoolExecutor(
                parallel,
                parallel,
                1,
                TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(),
                task -> daemon(task, "rlm-serve"));
        places.allowCoreThreadTimeOut(true);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Answers a request, once: with 200 when its rollout runs and the gateway knows. On any thread. */
    @FunctionalInterface
    interface Reply {
        void answer(int status, Map<String, ?> body);
    }

    /** Begins an attempt when there is a place for it. */
    void start(InitRequest request, Reply reply) {
        if (places.getQueue().size() >= MAX_WAITING) {
            refuse(reply, MAX_WAITING + " rollouts wait for a place already");
            return;
        }
        if (request.key() != null && secrets.putIfAbsent(request.key(), true) == null) {
            sinks.registerSecret(request.key());
        }
        Sample sample = episodes.sample(request.row(), request.messages(), request.tools());
        RolloutAttempt before;
        RolloutAttempt attempt;
        Episode episode;
        synchronized (current) {
            before = current.get(request.rollout());
            int number = 1 + (before == null ? earlier.getOrDefault(request.rollout(), 0) : before.number());
            episode = episodes.episode(
                    sample,
                    request.messages(),
                    request.model(),
                    request.correlation().attempt(number),
                    Map.of(GATEWAY, request.gateway().base()));
            attempt = new RolloutAttempt(number, episode.spec().runId(), request.gateway());
            current.put(request.rollout(), attempt);
        }
        if (before != null) {
            before.silence();
        }
        try {
            places.execute(() -> carryOut(attempt, before, episode, reply));
        } catch (RejectedExecutionException e) {
            attempt.over().complete(null);
            refuse(reply, "the server is about to end");
        }
    }

    /** Ends the last attempt at a rollout, whose trainer has given it up; whether there was one that went on. */
    boolean cancel(String rollout) {
        RolloutAttempt attempt;
        synchronized (current) {
            attempt = current.get(rollout);
        }
        if (attempt == null || attempt.over().isDone()) {
            return false;
        }
        attempt.cancel();
        return true;
    }

    private static void refuse(Reply reply, String why) {
        reply.answer(503, Map.of("error", why));
    }

    private void carryOut(RolloutAttempt attempt, @Nullable RolloutAttempt before, Episode episode, Reply reply) {
        try {
            if (before != null) {
                before.over()
                        .completeOnTimeout(null, END_TIME.toMillis(), TimeUnit.MILLISECONDS)
                        .join();
            }
            Job job = new Job(List.of(episode), sinks, 1, timeout, null);
            if (!attempt.begins(job)) {
                refuse(reply, "another attempt has taken the place of this one");
                return;
            }
            var unused = attempt.announced()
                    .orTimeout(ANNOUNCEMENT_TIME.toMillis(), TimeUnit.MILLISECONDS)
                    .whenCompleteAsync((done, error) -> answer(attempt, error, reply), answers);
            for (EpisodeResult result : job.run()) {
                ended.computeIfAbsent(result.outcome(), outcome -> new AtomicInteger())
                        .incrementAndGet();
            }
        } catch (RuntimeException e) {
            LOG.warn("a rollout came to nothing", e);
            refuse(reply, "the rollout cannot be run");
        } finally {
            attempt.over().complete(null);
        }
    }

    /** A trainer that was told that its rollout runs will hear of its end, also where this process dies. */
    private void answer(RolloutAttempt attempt, @Nullable Throwable error, Reply reply) {
        if (error != null || attempt.gateway() == null) {
            attempt.silence();
            refuse(
                    reply,
                    error == null
                            ? "another attempt has taken the place of this one"
                            : "the gateway does not take the rollout's status");
        } else {
            var unused = sinks.flushDurable(SYNC_TIME);
            reply.answer(200, Map.of("status", "running", "run_id", attempt.runId()));
        }
    }

    // ---- who hears of what

    @Override
    public @Nullable RolloutGateway of(RunInfo run, int code) {
        RolloutAttempt attempt = attempt(run);
        if (attempt != null) {
            return attempt.is(run.runId()) ? attempt.gateway() : null;
        }
        boolean stopped = code == RunStatus.CANCELLED; // as it was for another attempt, or told in order
        return !stopped && run.params().get(GATEWAY) instanceof String base && allowed.allows(base)
                ? new RolloutGateway(base, key)
                : null;
    }

    @Override
    public void taken(RunInfo run, int code) {
        RolloutAttempt attempt = attempt(run);
        if (attempt != null && attempt.is(run.runId())) {
            attempt.announced().complete(null);
        }
    }

    private @Nullable RolloutAttempt attempt(RunInfo run) {
        synchronized (current) {
            return current.get(run.correlation().rollout());
        }
    }

    /** Returns how many have ended so. */
    int ended(Outcome outcome) {
        AtomicInteger count = ended.get(outcome);
        return count == null ? 0 : count.get();
    }

    /** Returns how many run. */
    int running() {
        return places.getActiveCount();
    }

    /** Begins no more, gives those that run so long, and aborts the others. Returns whether all came to their own end. */
    boolean drain(Duration time) {
        places.shutdown();
        places.getQueue().clear(); // their connections are closed, and trainers try again
        boolean whole = awaitEnd(time);
        synchronized (current) {
            current.values().stream()
                    .filter(attempt -> !attempt.over().isDone())
                    .forEach(RolloutAttempt::abort);
        }
        return awaitEnd(END_TIME) && whole;
    }

    private boolean awaitEnd(Duration time) {
        try {
            return places.awaitTermination(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        places.shutdownNow();
        answers.shutdown();
    }
}
