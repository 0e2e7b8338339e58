package dev.rlm.runner.episode;

import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Many rollouts of a source, so many at a time; those whose attempt fails are tried again at once. May be stopped from another
 * thread, and stops of itself where too many have failed. A run that heeds neither its time limit nor the stop is left to its
 * thread, whose work another one goes on with.
 */
public final class Job {
    private static final int GRACE_SECONDS = 1;
    private static final Duration ROOM_TIME = Duration.ofSeconds(5);

    private final RolloutSource source;
    private final Sinks sinks;
    private final JobSpan span;
    private final int concurrency;
    private final int retries;
    private final TimeLimit limit;
    private final Score score;
    private final Map<Attempt, Rollout> running = new ConcurrentHashMap<>(); // the thread that removes one settles it
    private final Queue<Attempt> left = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>(); // also those that were left to their runs
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger working = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger(); // for the source
    private volatile boolean stopped;
    private volatile boolean interrupted;
    private volatile boolean patient = true;
    private volatile Consumer<Failure> failures = failure -> {};

    /** Makes a job whose episodes are run once each. */
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

    /**
     * Makes a job to be run. Rollouts that are over before are counted, and not run.
     *
     * @param span what its workers wait for is recorded in it
     */
    public Job(RolloutSource source, Sinks sinks, JobSpan span, JobLimits limits) {
        this.source = source;
        this.sinks = sinks;
        this.span = span;
        this.concurrency = limits.concurrency();
        this.retries = limits.retries();
        this.limit = new TimeLimit(limits.timeout(), limits.stepTimeout(), this::replace);
        this.score = new Score(source.known().size(), limits.maxFailures());
        standings().stream().filter(standing -> standing.isOver(retries)).forEach(this::isOver);
    }

    private void isOver(Standing standing) {
        score.over(Objects.requireNonNull(standing.last()));
    }

    /** Has each run that fails told as it does, on any thread; before the job runs. */
    public void tellFailures(Consumer<Failure> listener) {
        failures = listener;
    }

    /**
     * Runs what is not over, until the source has no more. Returns what became of each rollout of which there was an attempt, in
     * order, where they were all known before.
     */
    public List<EpisodeResult> run() {
        try (limit) {
            grow();
            over.join();
        }
        running.forEach(this::leave);
        return standings().stream().map(Standing::last).filter(Objects::nonNull).toList();
    }

    /** Ends what has not heeded the stop. */
    private void leave(Attempt attempt, Rollout rollout) {
        left.add(attempt);
        attempt.endFromOutside(Outcome.ABORTED, null, run -> run.abort(Attempt.STOPPED));
        settle(attempt);
        rollout.end();
    }

    /** Has another thread wait for the next rollout, where there may be one and none waits. */
    private void grow() {
        if (waiting.get() == 0 && working.getAndUpdate(n -> Math.min(concurrency, n + 1)) < concurrency) {
            startThread(null);
        }
    }

    private void startThread(@Nullable Rollout first) {
        Thread thread = new Thread(() -> work(first), "rlm-runner-" + started.incrementAndGet());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        if (stopped) {
            thread.interrupt();
        }
    }

    @SuppressWarnings("CatchThrowable") // or the job would wait for the thread for ever
    private void work(@Nullable Rollout first) {
        try {
            for (Rollout rollout = first == null ? take() : first; rollout != null; rollout = take()) {
                grow();
                if (!runAlone(rollout)) {
                    return; // another thread goes on here
                }
            }
            if (working.decrementAndGet() == 0) {
                over.complete(null);
            }
        } catch (Throwable e) {
            over.completeExceptionally(e);
        } finally {
            threads.remove(Thread.currentThread());
        }
    }

    /** Runs it. What goes wrong outside of its runs ends a job that was planned, and of others that rollout alone. */
    private boolean runAlone(Rollout rollout) {
        try {
            return run(rollout);
        } catch (RuntimeException e) {
            if (!source.known().isEmpty()) {
                throw e;
            }
            LoggerFactory.getLogger(Job.class).warn("a rollout cannot be run", e);
            rollout.end();
            return true;
        }
    }

    /** Returns the next rollout; {@code null} where there is none any more, or the job is stopped. */
    private @Nullable Rollout take() {
        waiting.incrementAndGet();
        try {
            while (!stopped) {
                try {
                    Rollout next = source.next();
                    if (next != null) {
                        score.asked();
                    }
                    return next;
                } catch (InterruptedException e) {
                    // of the stop; or of the run before, whose sign came late
                }
            }
            return null;
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** Tries until it is over or stopped. Returns false where an attempt took so long that it was given up. */
    private boolean run(Rollout rollout) {
        while (!rollout.standing().isOver(retries)) {
            awaitRoom();
            if (stopped || rollout.isStopped()) {
                break;
            }
            Attempt attempt = rollout.next().run(sinks, limit, rollout.timeout(), span, begun -> begin(begun, rollout));
            if (attempt.wasGivenUp()) {
                return false;
            }
            settle(attempt);
        }
        rollout.end();
        return true;
    }

    private void begin(Attempt attempt, Rollout rollout) {
        running.put(attempt, rollout);
        score.started();
        rollout.begin(() -> limit.stop(attempt));
    }

    /** Takes down what an attempt came to; once, whoever comes first. */
    private void settle(Attempt attempt) {
        Rollout rollout = running.remove(attempt);
        if (rollout == null) {
            return;
        }
        score.cameBack();
        EpisodeResult result = attempt.result();
        if (result.outcome() == Outcome.FAILED) {
            failures.accept(Failure.of(result.runId(), attempt.error()));
        }
        Standing standing = rollout.after(result);
        if (standing.isOver(retries)) {
            isOver(standing);
            rollout.end();
            if (standing.hasFailed(retries) && score.failed(result.runId(), attempt.error())) {
                halt();
            }
        }
    }

    /** Goes on in the place of an attempt's thread, which does not come back from it. */
    private void replace(Attempt attempt) {
        left.removeIf(earlier -> !earlier.isGoingOn());
        left.add(attempt);
        Rollout rollout = running.get(attempt);
        settle(attempt);
        startThread(rollout);
    }

    /** Lets the record catch up, so that it has every run; but a disk that hangs is waited for once and not each time. */
    private void awaitRoom() {
        patient = span.timed(JobSpan.AWAIT_ROOM, () -> sinks.awaitRoom(patient ? ROOM_TIME : Duration.ZERO));
    }

    /** Starts no more runs and aborts those that run. A run that does not heed it is waited for a second. */
    public void stop() {
        interrupted = true;
        halt();
    }

    private void halt() {
        stopped = true;
        threads.forEach(Thread::interrupt);
        over.completeOnTimeout(null, GRACE_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns how each rollout stands, in order, where they were all known before. */
    public List<Standing> standings() {
        return source.known().stream().map(Rollout::standing).toList();
    }

    /** Returns the first run of the job itself, in the order of rollouts that were all known before; {@code null} for none. */
    public @Nullable String firstRun() {
        return source.known().stream()
                .filter(rollout ->
                        rollout.standing().attempts() > rollout.before().attempts())
                .map(rollout ->
                        Objects.requireNonNull(rollout.standing().last()).runId())
                .findFirst()
                .orElse(null);
    }

    /** How many runs have ended in the record, but not stopped their work. */
    public int leftBehind() {
        return (int) left.stream().distinct().filter(Attempt::isGoingOn).count();
    }

    /** Whether it was told to stop, or stopped of itself. */
    public boolean wasStopped() {
        return stopped;
    }

    /** Whether it was told to stop. */
    public boolean wasInterrupted() {
        return interrupted;
    }

    /** The first of the runs that have failed, where there were so many that the job has stopped; else none. */
    public List<Failure> fatal() {
        return score.fatal();
    }

    /** How far it has come. */
    public JobCounts counts() {
        return score.counts();
    }

    /** Returns how many rollouts there are, or were asked for so far. */
    public int size() {
        return score.counts().size();
    }

    /** How many rollouts are over. */
    public int ended() {
        return score.counts().ended();
    }

    /**
     * A run that has failed.
     *
     * @param error why, as it was thrown: secrets in it are not redacted; empty where nothing is known
     */
    public record Failure(String runId, String error) {
        static Failure of(String runId, @Nullable Throwable error) {
            return new Failure(runId, error == null ? "" : error.toString());
        }
    }
}
