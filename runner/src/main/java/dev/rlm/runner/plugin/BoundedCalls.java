package dev.rlm.runner.plugin;

import dev.rlm.cli.Durations;
import dev.rlm.sinks.Scope;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Calls of plug-ins, each on a thread of its own and with a time limit, so that one that hangs can be given up: it is
 * interrupted, and left to itself where it does not heed that. Safe for use by several threads.
 */
public final class BoundedCalls {
    /** So many calls that were given up may go on, before no more should be begun. */
    public static final int MAX_LEFT = 1_000;

    private static final int MAX_TEXT = 500;
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final String threads;
    private final Duration limit;
    private final Queue<Thread> givenUp = new ConcurrentLinkedQueue<>();

    /**
     * Calls that may take so long each.
     *
     * @param threads the name of their threads
     */
    public BoundedCalls(String threads, Duration limit) {
        this.threads = threads;
        this.limit = limit;
    }

    /**
     * Returns what the task does, with that current which is current on this thread.
     *
     * @param failed makes the exception of whatever the task throws, on the task's thread; it throws nothing
     * @param overdue makes the exception of a task that takes longer than the time that it is given
     * @throws InterruptedException if this thread is interrupted; the task is given up
     */
    @SuppressWarnings({"CatchThrowable", "unchecked"
    }) // a plug-in may throw anything; the future throws what failed made
    public <T, X extends Exception> T call(Callable<T> task, Function<Throwable, X> failed, Function<String, X> overdue)
            throws InterruptedException, X {
        FutureTask<T> future = new FutureTask<>(() -> {
            try {
                return task.call();
            } catch (Throwable e) {
                throw failed.apply(e);
            }
        });
        Thread thread = new Thread(Scope.wrap((Runnable) future), threads);
        thread.setDaemon(true);
        thread.start();
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw (X) e.getCause();
        } catch (TimeoutException e) {
            throw overdue.apply(Durations.text(limit));
        } finally {
            if (!future.isDone()) {
                givenUp.add(thread);
                future.cancel(true);
            }
        }
    }

    /** Returns whether fewer than {@link #MAX_LEFT} calls were given up and go on all the same. */
    public boolean hasRoom() {
        givenUp.removeIf(thread -> !thread.isAlive());
        return givenUp.size() < MAX_LEFT;
    }

    /** Returns how many calls were given up and go on all the same. Waits a moment for those that are about to end. */
    public int left() {
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

    /** Returns what a plug-in's exception says; where it cannot even say that, its class. */
    @SuppressWarnings("CatchThrowable") // it may throw where it is asked what it is
    public static String text(Throwable error) {
        try {
            String text = String.valueOf(error.toString());
            return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
        } catch (Throwable e) {
            return error.getClass().getName();
        }
    }
}
