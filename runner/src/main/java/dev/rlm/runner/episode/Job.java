package dev.rlm.runner.episode;

import dev.rlm.engine.AttemptHistory;
import dev.rlm.engine.EpisodeEngine;
import dev.rlm.engine.EpisodeGroup;
import dev.rlm.engine.EpisodeHandle;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.engine.JobLimits;
import dev.rlm.episodes.SetupException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Many rollouts of a source, run by an engine, and how they stand. A rollout whose attempt fails is tried again at once. May be
 * stopped from another thread, and stops of itself where too many have failed. Safe for use by several threads.
 */
public final class Job {
    private final RolloutSource source;
    private final EpisodeEngine<? super Rollout> engine;
    private final int retries;
    private final JobScore score;
    private final Group group = new Group();
    private @Nullable EpisodeHandle handle; // guarded by this
    private volatile boolean stopped;
    private volatile boolean interrupted;
    private volatile Consumer<EpisodeResult> failures = failure -> {};

    /** Makes a job whose episodes are run once each, in this process. */
    public Job(
            List<Episode> episodes,
            Sinks sinks,
            int concurrency,
            @Nullable Duration timeout,
            @Nullable Duration stepTimeout) {
        this(
                RolloutSource.of(episodes.stream().map(Rollout::of).toList()),
                sinks,
                JobSpan.NONE,
                new JobLimits(concurrency, timeout, stepTimeout, 0, 0));
    }

    /** Makes a job to be run in this process. */
    public Job(RolloutSource source, Sinks sinks, JobSpan span, JobLimits limits) {
        this(source, new EmbeddedEngine(sinks, span, limits), limits);
    }

    /** Makes a job to be run. Rollouts that are over before are counted, and not run. */
    public Job(RolloutSource source, EpisodeEngine<? super Rollout> engine, JobLimits limits) {
        this.source = source;
        this.engine = engine;
        this.retries = limits.retries();
        this.score = new JobScore(source.known().size(), limits.maxFailures());
        histories().stream().filter(history -> history.isOver(retries)).forEach(this::isOver);
    }

    private void isOver(AttemptHistory history) {
        score.over(Objects.requireNonNull(history.last()));
    }

    /** Has each run that fails told as it does, on any thread; before the job runs. */
    public void tellFailures(Consumer<EpisodeResult> listener) {
        failures = listener;
    }

    /**
     * Runs what is not over, until the source has no more. Returns what became of each rollout of which there was an attempt, in
     * order, where they were all known before.
     */
    public List<EpisodeResult> run() {
        EpisodeHandle submitted = submit();
        if (submitted != null) {
            join(submitted);
        }
        return histories().stream()
                .map(AttemptHistory::last)
                .filter(Objects::nonNull)
                .toList();
    }

    private static void join(EpisodeHandle submitted) {
        try {
            submitted.over().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof SetupException cause ? cause : e; // which tells users what to put right
        }
    }

    private synchronized @Nullable EpisodeHandle submit() {
        handle = stopped ? null : engine.submit(group);
        return handle;
    }

    /** Starts no more runs and aborts those that run. */
    public void stop() {
        interrupted = true;
        halt();
    }

    private synchronized void halt() {
        stopped = true;
        if (handle != null) {
            handle.cancel();
        }
    }

    /** Returns how each rollout stands, in order, where they were all known before. */
    public List<AttemptHistory> histories() {
        return source.known().stream().map(Rollout::history).toList();
    }

    /** Returns the first run of the job itself, in the order of rollouts that were all known before; {@code null} for none. */
    public @Nullable String firstRun() {
        return source.known().stream()
                .filter(rollout ->
                        rollout.history().attempts() > rollout.before().attempts())
                .map(rollout -> Objects.requireNonNull(rollout.history().last()).runId())
                .findFirst()
                .orElse(null);
    }

    /** Returns how many runs have ended in the record, but not stopped their work. */
    public synchronized int leftBehind() {
        return handle == null ? 0 : handle.leftBehind();
    }

    /** Returns whether it was told to stop, or stopped of itself. */
    public boolean wasStopped() {
        return stopped;
    }

    /** Returns whether it was told to stop. */
    public boolean wasInterrupted() {
        return interrupted;
    }

    /** Returns the first of the runs that have failed, where there were so many that the job has stopped; else none. */
    public List<EpisodeResult> fatal() {
        return score.fatal();
    }

    /** Returns how far it has come. */
    public JobCounts counts() {
        return score.counts();
    }

    /** Returns how many rollouts there are, or were asked for so far. */
    public int size() {
        return score.counts().size();
    }

    /** Returns how many rollouts are over. */
    public int ended() {
        return score.counts().ended();
    }

    /** The job's rollouts as the engine knows them. */
    private final class Group implements EpisodeGroup<Rollout> {
        @Override
        public List<Rollout> known() {
            return source.known();
        }

        @Override
        public @Nullable Rollout next() throws InterruptedException {
            Rollout next = source.next();
            if (next != null) {
                score.asked();
            }
            return next;
        }

        @Override
        public void begun(Rollout rollout) {
            score.started();
        }

        @Override
        public void ended(Rollout rollout, int attempt, EpisodeResult result) {
            score.cameBack();
            if (result.outcome() == Outcome.FAILED) {
                failures.accept(result);
            }
            AttemptHistory history = rollout.after(attempt, result);
            if (history.isOver(retries)) {
                isOver(history);
                rollout.end();
                if (history.hasFailed(retries) && score.failed(result)) {
                    halt();
                }
            }
        }
    }
}
