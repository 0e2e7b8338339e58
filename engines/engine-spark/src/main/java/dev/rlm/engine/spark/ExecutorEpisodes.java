package dev.rlm.engine.spark;

import dev.rlm.cli.Commits;
import dev.rlm.engine.AttemptHistory;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.engine.JobLimits;
import dev.rlm.engine.spark.EnginePlugin.Begin;
import dev.rlm.engine.spark.EnginePlugin.IsCancelled;
import dev.rlm.engine.spark.EnginePlugin.NotRecorded;
import dev.rlm.engine.spark.EnginePlugin.Permission;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.episode.JobSpan;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.runner.episode.RolloutSource;
import dev.rlm.runner.job.PlannedEpisodes;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.TraceContext;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Episodes of a job on an executor: the plan, and a hub that sends to the recorder. Opened with the first task and closed with the
 * executor. Safe for use by several threads.
 */
final class ExecutorEpisodes {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorEpisodes.class);
    private static final Map<String, ExecutorEpisodes> OPEN = new ConcurrentHashMap<>(); // by invocation
    private static final Duration SYNC_TIME = Duration.ofMinutes(2);
    private static final Duration CLOSE_TIME = Duration.ofSeconds(5);
    private static final long LOOK_MILLIS = 300;
    private static volatile @Nullable PluginContext driver;

    private final String invocation;
    private final JobLimits limits;
    private final PlannedEpisodes episodes;
    private final Sinks sinks;
    private final Commits commits;
    private final Semaphore alone = new Semaphore(1);
    private final Set<Job> running = ConcurrentHashMap.newKeySet();
    private final Thread watch = new Thread(this::awaitCancellation, "rlm-cancellation");
    private volatile boolean cancelled;

    static void connect(PluginContext context) {
        driver = context;
    }

    static void shutdown() {
        OPEN.values().forEach(ExecutorEpisodes::close);
        OPEN.clear();
    }

    /** Runs the attempts at an episode that there may be, and returns once they are recorded. Throws where another task is to try. */
    static EpisodeOutcome run(ExecutorSetup setup, EpisodeTask task) throws Exception {
        String executor = SparkEnv.get().executorId();
        ExecutorEpisodes episodes;
        try {
            episodes = of(setup);
        } catch (RuntimeException e) {
            return EpisodeOutcome.fault(executor, String.valueOf(e.getMessage()));
        }
        return episodes.run(task, executor);
    }

    private static ExecutorEpisodes of(ExecutorSetup setup) {
        return OPEN.computeIfAbsent(setup.job().invocation(), unused -> new ExecutorEpisodes(setup));
    }

    private ExecutorEpisodes(ExecutorSetup setup) {
        this.invocation = setup.job().invocation();
        JobLimits all = setup.job().limits();
        this.limits = new JobLimits(1, all.timeout(), all.stepTimeout(), all.retries(), 0);
        this.episodes = new PlannedEpisodes(setup.job());
        Map<String, String> variables = new HashMap<>(setup.job().variables());
        variables.put("RLM_OBS_ENABLED", "true");
        variables.put("RLM_RECORD_URL", setup.recordUrl());
        if (setup.recordToken() != null) {
            variables.put("RLM_RECORD_TOKEN", setup.recordToken());
        }
        this.sinks = Sinks.builder()
                .config(SinkConfig.of(variables))
                .only(List.of("record"))
                .build();
        episodes.secrets().forEach(sinks::registerSecret);
        this.commits = new Commits(sinks, SYNC_TIME);
        if (!commits.areDurable()) {
            throw new SetupException("the recorder cannot be used: " + sinks.statuses());
        }
        watch.setDaemon(true);
        watch.start();
    }

    private static Object ask(Object question) throws Exception {
        PluginContext context = driver;
        if (context == null) {
            throw new IllegalStateException("the plug-in " + EnginePlugin.class.getName() + " is not on the executor");
        }
        return context.ask(question);
    }

    private EpisodeOutcome run(EpisodeTask task, String executor) throws Exception {
        Permission permission = Permission.of(ask(new Begin(invocation, task.place(), false)));
        if (permission.kind() != Permission.Kind.WAIT_ALONE) {
            return run(task, permission, executor);
        }
        alone.acquire();
        try {
            return run(task, Permission.of(ask(new Begin(invocation, task.place(), true))), executor);
        } finally {
            alone.release();
        }
    }

    private EpisodeOutcome run(EpisodeTask task, Permission permission, String executor) throws Exception {
        if (cancelled || permission.kind() == Permission.Kind.CANCELLED) {
            return new EpisodeOutcome(0, List.of(), executor, null);
        }
        // An earlier task may have made as many attempts as there may be: their numbers are not used again.
        int earlier = task.history().attempts() + permission.begun() * (limits.retries() + 1);
        AttemptHistory before = new AttemptHistory(earlier, task.history().failures(), null);
        TraceContext trace = episodes.within(task.traceparent());
        boolean lost = permission.kind() == Permission.Kind.LOST;
        Rollout rollout = lost
                ? episodes.lost(task.place(), before, trace, permission.lost())
                : episodes.rollout(task.place(), before, trace, task.timeout());
        long losses = commits.losses();
        List<EpisodeResult> results = new ArrayList<>(); // first those that have failed
        EpisodeResult last = runHere(rollout, lost, results);
        String problem = commits.await(losses).orElse(null);
        if (problem != null) {
            ask(new NotRecorded(invocation, task.place()));
            throw new IOException("the attempt is not accepted, since its record is " + problem);
        }
        if (last != null && !results.contains(last)) {
            results.add(last);
        }
        return new EpisodeOutcome(rollout.history().attempts(), results, executor, null);
    }

    private @Nullable EpisodeResult runHere(Rollout rollout, boolean once, List<EpisodeResult> failures)
            throws Exception {
        JobLimits own = once ? new JobLimits(1, null, null, 0, 0) : limits;
        Job job = new Job(RolloutSource.of(List.of(rollout)), sinks, JobSpan.NONE, own);
        job.tellFailures(failures::add);
        FutureTask<List<EpisodeResult>> results = new FutureTask<>(job::run);
        running.add(job);
        try {
            if (cancelled) {
                job.stop();
            }
            new Thread(results, "rlm-episode").start();
            return results.get().stream().findFirst().orElse(null);
        } catch (InterruptedException e) { // Spark has killed the task
            job.stop();
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            running.remove(job);
        }
    }

    /** Stops what runs once the driver says so: killed tasks would not tell what became of their runs. */
    private void awaitCancellation() {
        while (!cancelled) {
            try {
                Thread.sleep(LOOK_MILLIS);
                cancelled = Boolean.TRUE.equals(ask(new IsCancelled(invocation)));
            } catch (InterruptedException e) {
                return; // the executor ends
            } catch (Exception e) {
                LOG.debug("the driver does not answer", e); // where it has died Spark ends the executor
            }
        }
        running.forEach(Job::stop);
    }

    private void close() {
        watch.interrupt();
        sinks.close(CLOSE_TIME);
        episodes.close();
    }
}
