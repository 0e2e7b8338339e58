package dev.rlm.runner.episode;

import dev.rlm.engine.AttemptHistory;
import dev.rlm.engine.EpisodeRequest;
import dev.rlm.engine.EpisodeResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logical episode that was asked for. Its attempts are runs, made when they are due; the job that runs it notes how it stands. Safe
 * for use by several threads.
 */
public final class Rollout implements EpisodeRequest {
    private final AttemptHistory before;
    private final AttemptFactory attempts;
    private final @Nullable Duration timeout;
    private final CompletableFuture<AttemptHistory> over = new CompletableFuture<>();
    private volatile AttemptHistory history;
    private volatile boolean stopped;
    private @Nullable Runnable abort; // ends the attempt that has begun; guarded by this

    /** Makes a rollout with its attempts before the job. */
    public Rollout(AttemptHistory before, AttemptFactory attempts) {
        this(before, attempts, null);
    }

    /**
     * Makes a rollout with its attempts before the job.
     *
     * @param timeout how long each attempt may take; {@code null} for what the job says
     */
    public Rollout(AttemptHistory before, AttemptFactory attempts, @Nullable Duration timeout) {
        this.before = before;
        this.attempts = attempts;
        this.timeout = timeout;
        this.history = before;
    }

    /** Returns one that is run as it is, and not again. */
    static Rollout of(Episode episode) {
        return new Rollout(AttemptHistory.NEW, (number, failures) -> episode);
    }

    /** Returns the same with attempts that fail at once, each with an error of its own. */
    public Rollout failing(Supplier<Exception> error) {
        return new Rollout(
                before, (number, failures) -> attempts.attempt(number, failures).failing(error.get()), timeout);
    }

    /** Returns how it stood before the job. */
    public AttemptHistory before() {
        return before;
    }

    @Override
    public AttemptHistory history() {
        return history;
    }

    /** Returns the future of its end: it has been completed, has failed for good, or was stopped. */
    public CompletableFuture<AttemptHistory> over() {
        return over;
    }

    @Override
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** Returns the next attempt. */
    Episode next() {
        return attempts.attempt(history.attempts() + 1, history.failures());
    }

    /** Notes what the attempt of that number came to. Returns how it stands then. */
    AttemptHistory after(int attempt, EpisodeResult result) {
        AttemptHistory after = history.after(attempt, result);
        history = after;
        return after;
    }

    /** Notes that there will be no further attempt. */
    void end() {
        synchronized (this) {
            abort = null;
        }
        over.complete(history);
    }

    /** Aborts the attempt that goes on, and has no other begin. An attempt that does not heed it is left to its thread. */
    public synchronized void stop() {
        stopped = true;
        if (abort != null) {
            abort.run();
        }
    }

    /** Notes that an attempt begins, and how it is aborted. */
    synchronized void begin(Runnable abortion) {
        abort = abortion;
        if (stopped) {
            abortion.run();
        }
    }

    boolean isStopped() {
        return stopped;
    }

    /** Maker of the attempts at a rollout. */
    @FunctionalInterface
    public interface AttemptFactory {
        /**
         * Returns another attempt, as a run of its own.
         *
         * @param number from 1
         * @param failures how many have failed before it. It alone decides how the attempt differs from the one before: one
         *     that was cut off is done again as it was
         */
        Episode attempt(int number, int failures);
    }
}
