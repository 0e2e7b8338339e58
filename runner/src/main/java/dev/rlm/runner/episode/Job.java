package dev.rlm.runner.episode;

import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Many rollouts, so many at a time; those whose attempt fails are tried again at once. May be stopped from another thread,
 * and stops of itself where too many have failed. A run that heeds neither its time limit nor the stop is left to its
 * thread, whose work another one goes on with.
 */
public final class Job {
    static final String STOPPED = "the job was stopped";

    private static final int GRACE_SECONDS = 1;
    private static final Duration ROOM_TIME = Duration.ofSeconds(5);

    private final List<Rollout> rollouts;
    private final Sinks sinks;
    private final JobSpan span;
    private final int retries;
    private final TimeLimit limit;
    private final Score score;
    private final AtomicReferenceArray<Standing> standings;
    private final AtomicReferenceArray<@Nullable Attempt> running; // whoever takes one out settles it
    private final Queue<Attempt> left = new ConcurrentLinkedQueue<>();
    private final AtomicInteger next = new AtomicInteger();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final List<Thread> workers = new CopyOnWriteArrayList<>(); // also those that were left to their runs
    private final AtomicInteger working;
    private volatile boolean stopped;
    private volatile boolean interrupted;
    private volatile boolean patient = true;
    private volatile Consumer<Failure> failures = failure -> {};

    /** A job whose episodes are run once each. */
    public Job(
            List<Episode> episodes,
            Sinks sinks,
            int concurrency,
            @Nullable Duration timeout,
            @Nullable Duration stepTimeout) {
        this(
                episodes.stream().map(Rollout::of).toList(),
                sinks,
                new JobLimits(concurrency, timeout, stepTimeout, 0, 0));
    }

    /** A job without a span of its own. */
    public Job(List<Rollout> rollouts, Sinks sinks, JobLimits limits) {
        this(rollouts, sinks, JobSpan.NONE, limits);
    }

    /**
     * A job to be run. What is over before is counted, and not run.
     *
     * @param span what its workers wait for is recorded in it
     */
    public Job(List<Rollout> rollouts, Sinks sinks, JobSpan span, JobLimits limits) {
        int size = rollouts.size();
        this.rollouts = List.copyOf(rollouts);
        this.sinks = sinks;
        this.span = span;
        this.retries = limits.retries();
        this.limit = new TimeLimit(limits.timeout(), limits.stepTimeout(), this::replace);
        this.score = new Score(size, limits.maxFailures());
        this.standings = new AtomicReferenceArray<>(size);
        this.running = new AtomicReferenceArray<>(size);
        this.working = new AtomicInteger(Math.min(limits.concurrency(), size));
        for (int place = 0; place < size; place++) {
            stands(place, rollouts.get(place).before());
        }
    }

    /** Whether it is over now, which is counted. */
    private boolean stands(int place, Standing standing) {
        standings.set(place, standing);
        boolean isOver = standing.isOver(retries);
        if (isOver) {
            score.over(Objects.requireNonNull(standing.last()));
        }
        return isOver;
    }

    /** Has each run that fails told as it does, on any thread; before the job runs. */
    public void tellFailures(Consumer<Failure> listener) {
        failures = listener;
    }

    /** Runs what is not over; what became of each rollout of which there was an attempt, in the order given. */
    public List<EpisodeResult> run() {
        try (limit) {
            int count = working.get();
            if (count == 0) {
                over.complete(null);
            }
            for (int i = 0; i < count; i++) {
                startWorker(next.getAndIncrement());
            }
            over.join();
        }
        for (int place = 0; place < running.length(); place++) {
            leave(place);
        }
        return standings().stream().map(Standing::last).filter(Objects::nonNull).toList();
    }

    /** Ends what has not heeded the stop. */
    private void leave(int place) {
        Attempt attempt = running.get(place);
        if (attempt != null) {
            left.add(attempt);
            attempt.endFromOutside(Outcome.ABORTED, null, run -> run.abort(STOPPED));
            settle(place, attempt);
        }
    }

    private void startWorker(int place) {
        Thread worker = new Thread(() -> work(place), "rlm-runner-" + (workers.size() + 1));
        worker.setDaemon(true);
        workers.add(worker);
        worker.start();
        if (stopped) {
            worker.interrupt();
        }
    }

    @SuppressWarnings("CatchThrowable") // whatever stops a worker, nobody must wait for it for ever
    private void work(int first) {
        try {
            int place = first;
            while (place < rollouts.size() && !stopped) {
                if (!runRollout(place)) {
                    return; // another thread goes on here
                }
                place = next.getAndIncrement();
            }
            if (working.decrementAndGet() == 0) {
                over.complete(null);
            }
        } catch (Throwable e) {
            over.completeExceptionally(e);
        }
    }

    /** Tries until it is over or the job is stopped; {@code false} where an attempt took so long that it was given up. */
    private boolean runRollout(int place) {
        Standing standing = standings.get(place);
        while (!standing.isOver(retries)) {
            awaitRoom();
            if (stopped) {
                return true;
            }
            Episode episode = rollouts.get(place).attempts().attempt(standing.attempts() + 1, standing.failures());
            Attempt attempt = episode.run(sinks, limit, span, started -> {
                running.set(place, started);
                score.started();
            });
            if (attempt.wasGivenUp()) {
                return false;
            }
            settle(place, attempt);
            standing = standings.get(place);
        }
        return true;
    }

    /** Takes down what an attempt came to; once, whoever comes first. */
    private void settle(int place, Attempt attempt) {
        if (running.compareAndSet(place, attempt, null)) {
            score.cameBack();
            EpisodeResult result = attempt.result();
            if (result.outcome() == Outcome.FAILED) {
                failures.accept(Failure.of(result.runId(), attempt.error()));
            }
            Standing standing = standings.get(place).after(result);
            if (stands(place, standing)
                    && standing.hasFailed(retries)
                    && score.failed(result.runId(), attempt.error())) {
                halt();
            }
        }
    }

    /** Goes on in the place of an attempt's thread, which does not come back from it. */
    private void replace(Attempt attempt) {
        int place = IntStream.range(0, running.length())
                .filter(i -> running.get(i) == attempt)
                .findFirst()
                .orElse(rollouts.size());
        left.add(attempt);
        if (place < rollouts.size()) {
            settle(place, attempt);
        }
        startWorker(place < rollouts.size() ? place : next.getAndIncrement());
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
        workers.forEach(Thread::interrupt);
        over.completeOnTimeout(null, GRACE_SECONDS, TimeUnit.SECONDS);
    }

    /** How each rollout stands, in the order given. */
    public List<Standing> standings() {
        return IntStream.range(0, standings.length()).mapToObj(standings::get).toList();
    }

    /** The first run of the job itself, in the order given; {@code null} where there was none. */
    public @Nullable String firstRun() {
        return IntStream.range(0, standings.length())
                .filter(place -> standings.get(place).attempts()
                        > rollouts.get(place).before().attempts())
                .mapToObj(place ->
                        Objects.requireNonNull(standings.get(place).last()).runId())
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

    /** How many rollouts there are. */
    public int size() {
        return rollouts.size();
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
