package dev.rlm.engine.spark;

import dev.rlm.cli.Token;
import dev.rlm.engine.EngineContext;
import dev.rlm.engine.EpisodeGroup;
import dev.rlm.engine.EpisodeHandle;
import dev.rlm.engine.EpisodeRequest;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.engine.spark.EnginePlugin.Permission;
import dev.rlm.episodes.SetupException;
import dev.rlm.recorder.RecordServer;
import dev.rlm.server.http.Endpoint;
import dev.rlm.sinks.SinkConfig;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.FutureAction;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.concurrent.Await;

/**
 * Group of episodes on Spark, at the driver: submits a task for each, lets attempts begin, and takes what comes back. An attempt that
 * has begun and does not come back was lost with its process. Safe for use by several threads.
 */
final class SparkJob<E extends EpisodeRequest> implements EpisodeHandle {
    private static final Logger LOG = LoggerFactory.getLogger(SparkJob.class);
    private static final int MAX_LOST = 3;
    private static final int MAX_NOT_RECORDED = 20;
    private static final long KILL_MILLIS = 3_000; // after a cancellation
    private static final long GIVE_UP_MILLIS = 6_000;
    private static final Duration STOP_TIME = Duration.ofSeconds(5);

    private final EngineContext context;
    private final EpisodeGroup<E> group;
    private final Map<Integer, Episode<E>> episodes = new LinkedHashMap<>(); // by place
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private volatile @Nullable FutureAction<?> action;
    private volatile @Nullable SparkContext spark;
    private volatile @Nullable RecordServer server;
    private volatile boolean cancelled;
    private volatile boolean closing;

    SparkJob(EngineContext context, EpisodeGroup<E> group) {
        this.context = context;
        this.group = group;
        List<E> known = group.known();
        if (known.isEmpty()) {
            throw new SetupException("--engine spark runs episodes that are known before: it cannot serve others");
        }
        int retries = context.job().limits().retries();
        for (int place = 0; place < known.size(); place++) {
            if (!known.get(place).history().isOver(retries)) {
                episodes.put(place, new Episode<>(known.get(place), place, context));
            }
        }
    }

    void start() {
        EnginePlugin.add(context.job().invocation(), this);
        Thread thread = new Thread(this::run, "rlm-spark");
        thread.setDaemon(true);
        thread.start();
    }

    @SuppressWarnings("CatchThrowable") // whatever goes wrong, the group is over
    private void run() {
        try {
            if (!cancelled && !episodes.isEmpty()) {
                SparkContext opened = open();
                spark = opened;
                opened.addSparkListener(new LostExecutors());
                submit(opened);
            }
            over.complete(null);
        } catch (Throwable e) {
            if (cancelled) {
                over.complete(null); // what a cancellation breaks is no failure
            } else {
                over.completeExceptionally(e);
            }
        }
    }

    @SuppressWarnings("CatchThrowable") // Scala throws checked exceptions without saying so
    private SparkContext open() {
        try {
            return new SparkContext(SparkSettings.of(context));
        } catch (Throwable e) {
            throw new SetupException("Spark does not start with --master " + context.master() + ": " + e.getMessage());
        }
    }

    private void submit(SparkContext opened) throws Exception {
        ExecutorSetup setup = setup(opened);
        List<Episode<E>> all = List.copyOf(episodes.values());
        JavaSparkContext java = JavaSparkContext.fromSparkContext(opened);
        java.setInterruptOnCancel(true);
        FutureAction<?> submitted = SparkTasks.submit(
                java,
                all.stream().map(episode -> episode.task).toList(),
                setup,
                (index, outcome) -> take(all.get(index), outcome));
        action = submitted;
        if (cancelled) {
            submitted.cancel();
        }
        Await.ready(submitted, scala.concurrent.duration.Duration.Inf());
        if (!cancelled && submitted.value().get().isFailure()) {
            String why = String.valueOf(submitted.value().get().failed().get().getMessage());
            throw new SetupException(
                    "Spark has given up: " + why.lines().findFirst().orElse(""));
        }
    }

    /** Starts the recorder of this job, unless its hub has another process record. */
    private ExecutorSetup setup(SparkContext opened) throws UnknownHostException {
        SinkConfig config = context.config().sink("record");
        String url = config.string("URL").orElse(null);
        if (url != null) {
            return new ExecutorSetup(context.job(), url, config.string("TOKEN").orElse(null));
        }
        Token token = Token.random();
        context.sinks().registerSecret(token.value());
        String host = opened.getConf().get("spark.driver.host"); // as executors reach this process
        InetAddress address = InetAddress.getByName(opened.getConf().get("spark.driver.bindAddress", host));
        RecordServer started = RecordServer.open(
                context.sinks(), new Endpoint(address, "--conf spark.driver.bindAddress", 0, null), token);
        server = started;
        return new ExecutorSetup(context.job(), "http://" + host + ":" + started.port(), token.value());
    }

    // ---- what executors say

    /** Lets an attempt begin, or not. */
    Permission begin(int place, boolean alone) {
        Episode<E> episode = episodes.get(place);
        if (cancelled || episode == null) {
            return Permission.CANCELLED;
        }
        int begun;
        int lost;
        synchronized (episode) {
            begun = episode.begun;
            lost = begun - episode.notRecorded;
            if (episode.over) {
                return Permission.CANCELLED;
            } else if (lost == MAX_LOST - 1 && !alone) {
                return new Permission(Permission.Kind.WAIT_ALONE, begun, lost);
            }
            episode.begun++;
            if (begun == 0) {
                episode.startNanos = System.nanoTime();
            }
        }
        if (begun == 0) {
            group.begun(episode.request);
        }
        return new Permission(lost < MAX_LOST ? Permission.Kind.BEGIN : Permission.Kind.LOST, begun, lost);
    }

    /** Takes down that an attempt came back, and without a record that could be accepted. */
    void notRecorded(int place) {
        Episode<E> episode = episodes.get(place);
        if (episode != null) {
            synchronized (episode) {
                episode.notRecorded++;
            }
            if (episode.notRecorded > MAX_NOT_RECORDED) {
                fail(new SetupException(
                        "the record of an episode could not be synced in " + episode.notRecorded + " attempts"));
            }
        }
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Takes the outcome of a task, once for each: Spark drops those of further attempts. */
    private void take(Episode<E> episode, EpisodeOutcome outcome) {
        if (outcome.fault() != null) {
            fail(new SetupException("executor " + outcome.executor() + " cannot run episodes: " + outcome.fault()));
        } else if (outcome.results().isEmpty() && !cancelled) {
            fail(new IllegalStateException("executor " + outcome.executor() + " has not run an episode"));
        } else {
            try {
                accept(episode, outcome);
            } catch (RuntimeException e) { // which would end Spark's scheduler
                fail(e);
            }
        }
    }

    private void accept(Episode<E> episode, EpisodeOutcome outcome) {
        synchronized (episode) {
            episode.over = true;
        }
        List<EpisodeResult> results = outcome.results();
        for (int i = 0; i < results.size(); i++) {
            if (i > 0) {
                group.begun(episode.request);
            }
            group.ended(episode.request, outcome.lastAttempt() - results.size() + 1 + i, results.get(i));
        }
        if (!results.isEmpty()) {
            context.sinks().publish(episode.span.accepted(episode.startNanos, episode.begun - 1, outcome));
        }
    }

    private void fail(Exception why) {
        over.completeExceptionally(why);
        cancel();
    }

    // ---- the handle

    @Override
    public CompletableFuture<Void> over() {
        return over;
    }

    /** Attempts that run are told by their executors, so that they come back; tasks that do not are killed. */
    @Override
    public void cancel() {
        cancelled = true;
        CompletableFuture.delayedExecutor(KILL_MILLIS, TimeUnit.MILLISECONDS).execute(() -> {
            FutureAction<?> submitted = action;
            if (submitted != null && !closing) {
                submitted.cancel();
            }
        });
        over.completeOnTimeout(null, GIVE_UP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Returns 0: executors end with their job. */
    @Override
    public int leftBehind() {
        return 0;
    }

    void close() {
        closing = true;
        EnginePlugin.remove(context.job().invocation());
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> {
            SparkContext opened = spark;
            if (opened != null) {
                opened.stop();
                deleteWork(opened);
            }
        });
        try {
            stopped.get(STOP_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("Spark does not stop: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        RecordServer started = server;
        if (started != null) {
            started.close();
        }
    }

    /** Deletes what executors of a cluster that was made for this job left: copies of jars, and logs, which a failed job keeps. */
    private void deleteWork(SparkContext stopped) {
        String home = System.getenv("SPARK_HOME");
        if (home != null
                && stopped.master().startsWith("local-cluster")
                && over.isDone()
                && !over.isCompletedExceptionally()) {
            try {
                JavaUtils.deleteRecursively(new File(home, "work/" + stopped.applicationId()));
            } catch (IOException | InterruptedException e) {
                LOG.debug("the work of executors stays", e);
            }
        }
    }

    /** Tells of executors that are lost. */
    private final class LostExecutors extends SparkListener {
        @Override
        public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
            if (!closing && !over.isDone()) {
                LOG.warn("executor {} is lost, and its episodes run again: {}", event.executorId(), event.reason());
            }
        }
    }

    /** Episode of the group. */
    private static final class Episode<E extends EpisodeRequest> {
        private final E request;
        private final EpisodeSpan span;
        private final EpisodeTask task;
        private int begun; // tasks; guarded by this, as is what follows
        private int notRecorded; // of them
        private long startNanos;
        private boolean over;

        private Episode(E request, int place, EngineContext context) {
            this.request = request;
            this.span = EpisodeSpan.of(context.job(), place);
            this.task = new EpisodeTask(place, request.history(), request.timeout(), span.traceparent());
        }
    }
}
