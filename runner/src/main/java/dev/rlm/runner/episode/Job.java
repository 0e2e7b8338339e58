package dev.rlm.runner.episode;

import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Many episodes, so many at a time. May be stopped from another thread. */
public final class Job {
    private static final int GRACE_SECONDS = 1;
    private static final Duration ROOM_TIME = Duration.ofSeconds(5);

    private final List<Episode> episodes;
    private final Sinks sinks;
    private final TimeLimit limit;
    private final AtomicReferenceArray<EpisodeResult> results;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final List<Thread> workers;
    private final AtomicInteger working;
    private volatile boolean stopped;
    private volatile boolean patient = true;

    /**
     * A job to be run.
     *
     * @param timeout how long a run may take; {@code null} for no limit
     */
    public Job(List<Episode> episodes, Sinks sinks, int concurrency, @Nullable Duration timeout) {
        this.episodes = List.copyOf(episodes);
        this.sinks = sinks;
        this.results = new AtomicReferenceArray<>(episodes.size());
        this.limit = new TimeLimit(timeout);
        this.workers = IntStream.rangeClosed(1, Math.min(concurrency, episodes.size()))
                .mapToObj(number -> new Thread(this::work, "rlm-runner-" + number))
                .toList();
        this.working = new AtomicInteger(workers.size());
    }

    /** Runs the episodes; the results of those that were started, in the order given. */
    public List<EpisodeResult> run() {
        try (limit) {
            for (Thread worker : workers) {
                worker.setDaemon(true);
                worker.start();
            }
            over.join();
        }
        return IntStream.range(0, results.length())
                .mapToObj(results::get)
                .filter(Objects::nonNull)
                .toList();
    }

    @SuppressWarnings("CatchThrowable") // whatever stops a worker, nobody must wait for it for ever
    private void work() {
        try {
            runEpisodes();
            if (working.decrementAndGet() == 0) {
                over.complete(null);
            }
        } catch (Throwable e) {
            over.completeExceptionally(e);
        }
    }

    private void runEpisodes() {
        int index = next.getAndIncrement();
        while (index < episodes.size() && !stopped) {
            awaitRoom();
            if (stopped) {
                return;
            }
            Episode episode = episodes.get(index);
            // Stands for a run that does not heed its interrupt: the sinks abort it when they are closed.
            results.set(index, new Tally(episode.spec()).result(Outcome.ABORTED));
            results.set(index, episode.run(sinks, limit));
            ended.incrementAndGet();
            index = next.getAndIncrement();
        }
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
