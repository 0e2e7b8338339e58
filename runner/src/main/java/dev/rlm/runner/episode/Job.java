package dev.rlm.runner.episode;

import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Many episodes, so many at a time. May be stopped from another thread. A run that heeds neither its time limit nor the stop
 * is left to its thread, whose work another one goes on with.
 */
public final class Job {
    static final String STOPPED = "the job was stopped";

    private static final int GRACE_SECONDS = 1;
    private static final Duration ROOM_TIME = Duration.ofSeconds(5);

    private final List<Episode> episodes;
    private final Sinks sinks;
    private final TimeLimit limit;
    private final AtomicReferenceArray<Attempt> attempts;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final List<Thread> workers = new CopyOnWriteArrayList<>(); // also those that were left to their runs
    private final AtomicInteger working;
    private volatile boolean stopped;
    private volatile boolean patient = true;

    /**
     * A job to be run.
     *
     * @param timeout how long a run may take; {@code null} for no limit
     * @param stepTimeout how long a step may take before it and its run fail; {@code null} for no limit
     */
    public Job(
            List<Episode> episodes,
            Sinks sinks,
            int concurrency,
            @Nullable Duration timeout,
            @Nullable Duration stepTimeout) {
        this.episodes = List.copyOf(episodes);
        this.sinks = sinks;
        this.attempts = new AtomicReferenceArray<>(episodes.size());
        this.limit = new TimeLimit(timeout, stepTimeout, this::replace);
        this.working = new AtomicInteger(Math.min(concurrency, episodes.size()));
    }

    /** Runs the episodes; the results of those that were started, in the order given. */
    public List<EpisodeResult> run() {
        try (limit) {
            int count = working.get();
            for (int i = 0; i < count; i++) {
                startWorker();
            }
            over.join();
        }
        attempts().forEach(attempt -> attempt.endFromOutside(Outcome.ABORTED, run -> run.abort(STOPPED)));
        return attempts().map(Attempt::result).toList();
    }

    private void startWorker() {
        Thread worker = new Thread(this::work, "rlm-runner-" + (workers.size() + 1));
        worker.setDaemon(true);
        workers.add(worker);
        worker.start();
        if (stopped) {
            worker.interrupt();
        }
    }

    /** Those that were started. */
    private Stream<Attempt> attempts() {
        return IntStream.range(0, attempts.length()).mapToObj(attempts::get).filter(Objects::nonNull);
    }

    @SuppressWarnings("CatchThrowable") // whatever stops a worker, nobody must wait for it for ever
    private void work() {
        try {
            if (runEpisodes() && working.decrementAndGet() == 0) {
                over.complete(null);
            }
        } catch (Throwable e) {
            over.completeExceptionally(e);
        }
    }

    /** Runs one after the other until there are no more; or until one took so long that another thread goes on here. */
    private boolean runEpisodes() {
        int index = next.getAndIncrement();
        while (index < episodes.size() && !stopped) {
            awaitRoom();
            if (stopped) {
                return true;
            }
            int place = index;
            Attempt attempt = episodes.get(place).run(sinks, limit, started -> attempts.set(place, started));
            if (attempt.wasGivenUp()) {
                return false;
            }
            ended.incrementAndGet();
            index = next.getAndIncrement();
        }
        return true;
    }

    /** Goes on in the place of an attempt's thread, which does not come back from it. */
    private void replace(Attempt attempt) {
        ended.incrementAndGet();
        startWorker();
    }

    /** Lets the record catch up, so that it has every run; but a disk that hangs is waited for once and not each time. */
    private void awaitRoom() {
        patient = sinks.awaitRoom(patient ? ROOM_TIME : Duration.ZERO);
    }

    /** Starts no more runs and aborts those that run. A run that does not heed it is waited for a second. */
    public void stop() {
        stopped = true;
        workers.forEach(Thread::interrupt);
        over.completeOnTimeout(null, GRACE_SECONDS, TimeUnit.SECONDS);
    }

    /** How many runs have ended in the record, but not stopped their work. */
    public int leftBehind() {
        return (int) attempts().filter(Attempt::isGoingOn).count();
    }

    /** Whether it was stopped before all had been run. */
    public boolean wasStopped() {
        return stopped;
    }

    /** How many runs there are to be. */
    public int size() {
        return episodes.size();
    }

    /** How many runs have ended. */
    public int ended() {
        return ended.get();
    }
}
