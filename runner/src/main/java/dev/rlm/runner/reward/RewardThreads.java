package dev.rlm.runner.reward;

import dev.rlm.cli.Durations;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.Score;
import dev.rlm.episodes.Trajectory;
import dev.rlm.sinks.Scope;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Threads for reward functions, one for each computation, so that one that hangs can be given up: it is interrupted, and
 * left to itself where it does not heed that. So many may be left; then no more are started. Safe for use by several threads.
 */
final class RewardThreads {
    private static final int MAX_LEFT = 1_000;
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Duration limit;
    private final Queue<Thread> givenUp = new ConcurrentLinkedQueue<>();

    /** Threads whose computations may take so long each. */
    RewardThreads(Duration limit) {
        this.limit = limit;
    }

    /**
     * Computes a reward, with that current which is current on this thread.
     *
     * @throws InterruptedException if this thread is interrupted; the computation is given up
     */
    Score compute(RewardFunction function, Trajectory trajectory) throws InterruptedException, RewardAbsentException {
        checkRoom();
        CompletableFuture<Outcome> over = new CompletableFuture<>();
        Thread thread =
                new Thread(Scope.wrap((Runnable) () -> over.complete(call(function, trajectory))), "rlm-reward");
        thread.setDaemon(true);
        thread.start();
        try {
            return over.get(limit.toNanos(), TimeUnit.NANOSECONDS).value();
        } catch (ExecutionException e) {
            throw new IllegalStateException("it is never completed with an exception", e);
        } catch (TimeoutException e) {
            throw new RewardAbsentException("it took longer than " + Durations.text(limit));
        } finally {
            if (!over.isDone()) {
                givenUp.add(thread);
                thread.interrupt();
            }
        }
    }

    @SuppressWarnings("CatchThrowable") // a plug-in may throw anything
    private static Outcome call(RewardFunction function, Trajectory trajectory) {
        try {
            return new Outcome(function.score(trajectory), null);
        } catch (Throwable e) {
            return new Outcome(Score.of(Double.NaN), RewardAbsentException.of(e));
        }
    }

    /** Either of the two. What was thrown is none: an exception that cannot be asked what it is must not be wrapped. */
    private record Outcome(Score score, @Nullable RewardAbsentException absence) {
        Score value() throws RewardAbsentException {
            if (absence != null) {
                throw absence;
            }
            return score;
        }
    }

    private void checkRoom() throws RewardAbsentException {
        givenUp.removeIf(thread -> !thread.isAlive());
        if (givenUp.size() >= MAX_LEFT) {
            throw new RewardAbsentException("it was not computed: " + MAX_LEFT + " computations hang already");
        }
    }

    /** How many computations were given up and go on all the same. Waits a moment for those that are about to end. */
    int left() {
        long end = System.nanoTime() + GRACE.toNanos();
        try {
            for (Thread thread : givenUp) {
                TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return (int) givenUp.stream().filter(Thread::isAlive).count();
    }
}
