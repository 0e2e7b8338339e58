package dev.rlm.runner.serve;

import dev.rlm.cli.Commits;
import dev.rlm.engine.AttemptHistory;
import dev.rlm.episodes.Sample;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.runner.episode.RolloutSource;
import dev.rlm.runner.job.ServedEpisodes;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.rollout.RolloutGateway;
import dev.rlm.sinks.rollout.RolloutGateways;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rollouts that trainers ask for: those that no thread of the job has taken yet wait. A request for one that is known is a new
 * attempt, before which the old one is stopped. Safe for use by several threads.
 */
final class WaitingRollouts implements RolloutSource, RolloutGateways {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingRollouts.class);

    /** Parameter of a run that names its gateway, for who tells of it after its process has died. */
    static final String GATEWAY = "rollout_gateway";

    /** Form of a key that is no word, which other runs may have for their own reasons. */
    private static final Pattern NO_WORD = Pattern.compile("(?=.*\\d|.{20}).*");

    private static final int MAX_KNOWN = 100_000;
    private static final int MAX_WAITING = 1_024;
    private static final Duration END_TIME = Duration.ofSeconds(5); // of an attempt that was stopped
    private static final Duration ANNOUNCEMENT_TIME = Duration.ofSeconds(20);
    private static final Duration SYNC_TIME = Duration.ofSeconds(10);

    private final ServedEpisodes episodes;
    private final Sinks sinks;
    private final Commits commits;
    private final Map<String, Integer> earlier;
    private final AllowedUrls allowed;
    private final @Nullable String key;
    private final BlockingQueue<Optional<Request>> waiting = new LinkedBlockingQueue<>(); // empty: the end
    private final ExecutorService answers = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "rlm-serve-answer");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, Boolean> secrets = new ConcurrentHashMap<>();
    private volatile boolean draining;

    // By rollout; guarded by itself
    private final Map<String, RolloutAttempt> current = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RolloutAttempt> eldest) {
            return size() > MAX_KNOWN && eldest.getValue().rollout().over().isDone();
        }
    };

    /**
     * Makes the source of a server that starts.
     *
     * @param earlier the last attempts of earlier processes, by rollout
     * @param key signs in at the gateways of runs that an earlier process left behind
     */
    WaitingRollouts(
            ServedEpisodes episodes,
            Sinks sinks,
            Map<String, Integer> earlier,
            AllowedUrls allowed,
            @Nullable String key) {
        this.episodes = episodes;
        this.sinks = sinks;
        this.commits = new Commits(sinks, SYNC_TIME);
        this.earlier = earlier;
        this.allowed = allowed;
        this.key = key;
    }

    private record Request(RolloutAttempt attempt, Reply reply) {}

    /** Answers a request, once: with 200 when its rollout runs and the gateway knows. On any thread. */
    @FunctionalInterface
    interface Reply {
        void answer(int status, Map<String, ?> body);
    }

    /** Begins an attempt when there is a place for it. */
    void start(InitRequest request, Reply reply) {
        if (draining) {
            refuse(reply, "the server is about to end");
            return;
        } else if (waiting.size() >= MAX_WAITING) {
            refuse(reply, MAX_WAITING + " rollouts wait for a place already");
            return;
        }
        if (request.key() != null
                && NO_WORD.matcher(request.key()).matches()
                && secrets.putIfAbsent(request.key(), true) == null) {
            sinks.registerSecret(request.key());
        }
        Sample sample = episodes.sample(request.row(), request.messages(), request.tools());
        RolloutAttempt before;
        RolloutAttempt attempt;
        synchronized (current) {
            before = current.get(request.rollout());
            int number = 1 + (before == null ? earlier.getOrDefault(request.rollout(), 0) : before.number());
            Episode episode = episodes.episode(
                    sample,
                    request.messages(),
                    request.model(),
                    request.correlation().attempt(number),
                    Map.of(GATEWAY, request.gateway().base()));
            attempt = new RolloutAttempt(number, episode, request.gateway());
            current.put(request.rollout(), attempt);
        }
        if (before != null) {
            before.silence();
            before.rollout().stop();
        }
        Optional<Request> asked = Optional.of(new Request(attempt, reply));
        if (before == null) {
            waiting.add(asked);
        } else {
            var unused = before.rollout()
                    .over()
                    .copy()
                    .completeOnTimeout(AttemptHistory.NEW, END_TIME.toMillis(), TimeUnit.MILLISECONDS)
                    .thenRun(() -> waiting.add(asked));
        }
    }

    @Override
    public @Nullable Rollout next() throws InterruptedException {
        while (true) {
            Request next = waiting.take().orElse(null);
            if (next == null) {
                drain(); // the other threads
                return null;
            }
            RolloutAttempt attempt = next.attempt();
            if (attempt.begins(commits.losses())) {
                var unused = attempt.announced()
                        .orTimeout(ANNOUNCEMENT_TIME.toMillis(), TimeUnit.MILLISECONDS)
                        .whenCompleteAsync((done, error) -> answer(attempt, error, next.reply()), answers);
                return attempt.rollout();
            }
            attempt.rollout().over().complete(AttemptHistory.NEW); // it never begins
            refuse(next.reply(), "another attempt has taken the place of this one");
        }
    }

    /** Takes no more, and has the job end once those that run have: connections of those that wait are closed, and trainers try again. */
    void drain() {
        draining = true;
        waiting.clear();
        waiting.add(Optional.empty());
    }

    /** Ends the last attempt at a rollout, whose trainer has given it up; whether there was one that went on. */
    boolean cancel(String rollout) {
        RolloutAttempt attempt;
        synchronized (current) {
            attempt = current.get(rollout);
        }
        if (attempt == null || attempt.rollout().over().isDone()) {
            return false;
        }
        attempt.cancel();
        attempt.rollout().stop();
        return true;
    }

    private static void refuse(Reply reply, String why) {
        reply.answer(503, Map.of("error", why));
    }

    /**
     * A trainer that was told that its rollout runs will hear of its end, also where this process dies: the record has the run, and the
     * gateway its status. Another rollout ends here.
     */
    private void answer(RolloutAttempt attempt, @Nullable Throwable error, Reply reply) {
        String problem = attempt.problem();
        if (error == null && problem == null && attempt.gateway() != null) {
            reply.answer(200, Map.of("status", "running", "run_id", attempt.runId()));
            return;
        }
        attempt.silence();
        attempt.rollout().stop();
        if (problem != null) {
            refuse(reply, "the rollout is not recorded: " + problem);
        } else {
            refuse(
                    reply,
                    error == null
                            ? "another attempt has taken the place of this one"
                            : "the gateway does not take the rollout's status");
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

    /** An end that cannot be recorded is told all the same, after {@link #SYNC_TIME}: a trainer waits for it. */
    @Override
    public CompletionStage<?> recorded(RunInfo run, int code) {
        RolloutAttempt attempt = attempt(run);
        if (attempt == null || !attempt.is(run.runId())) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.runAsync(
                () -> commits.await(attempt.losses()).ifPresent(problem -> {
                    if (code == RunStatus.RUNNING) {
                        attempt.refuse(problem);
                    } else {
                        LOG.warn("the end of run {} is told, and not known to be recorded: {}", run.runId(), problem);
                    }
                }),
                answers);
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
}
