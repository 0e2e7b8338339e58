package dev.rlm.sinks.core.lane;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls one method of a sink from a foreign thread with a time limit. While an earlier call is still running, returns the
 * fallback immediately.
 */
final class BoundedCall {
    private static final ExecutorService THREADS =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task, "rlm-sink-asked");
                thread.setDaemon(true);
                return thread;
            });

    private final String method;
    private final ThrottledLog log;
    private volatile boolean prompt; // it has answered in time, and never failed to
    private volatile @Nullable Future<?> overdue;

    BoundedCall(String method, ThrottledLog log) {
        this.method = method;
        this.log = log;
    }

    String method() {
        return method;
    }

    /** Returns whether it has answered in time, so that it may be asked on the calling thread. */
    boolean isPrompt() {
        return prompt;
    }

    /** Asks; the second of two answers stands for one that failed, the third for one that is overdue. */
    <T> T ask(Callable<T> question, T failed, T late, Duration bound) {
        Question<T> asked = start(question, failed, late);
        return asked.await(System.nanoTime() + bound.toNanos());
    }

    /** Begins to ask. */
    <T> Question<T> start(Callable<T> question, T failed, T late) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        FutureTask<T> task = new FutureTask<>(() -> {
            Thread.currentThread().setContextClassLoader(loader);
            try {
                return askHere(question, failed);
            } finally {
                Thread.currentThread().setContextClassLoader(null);
            }
        });
        return new Question<>(isStuck() || !execute(task) ? null : task, late);
    }

    private boolean isStuck() {
        Future<?> last = overdue;
        return last != null && !last.isDone();
    }

    @SuppressWarnings("CatchThrowable") // there may be no more threads to have
    private boolean execute(Runnable task) {
        try {
            THREADS.execute(task);
            return true;
        } catch (Throwable e) {
            log.warn("no thread", method + " was not asked: " + Throwables.describe(e));
            return false;
        }
    }

    /** Asks on the calling thread: only where that can be afforded. */
    @SuppressWarnings("CatchThrowable") // a sink may throw anything
    <T> T askHere(Callable<T> question, T failed) {
        try {
            return question.call();
        } catch (Throwable e) {
            log.warn(method + ":" + e.getClass().getName(), method + " failed: " + Throwables.describe(e));
            return failed;
        }
    }

    /** Something that was asked. */
    final class Question<T> {
        private final @Nullable FutureTask<T> task;
        private final T late;

        private Question(@Nullable FutureTask<T> task, T late) {
            this.task = task;
            this.late = late;
        }

        /** The answer, if it comes by then; also on an interrupted thread. */
        T await(long by) {
            if (task == null) {
                return late;
            }
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        T answer = task.get(Math.max(0, by - System.nanoTime()), TimeUnit.NANOSECONDS);
                        prompt = true;
                        return answer;
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("all that a question throws is caught", e);
            } catch (TimeoutException e) {
                prompt = false;
                overdue = task;
                log.warn(method + " is late", method + " gave no answer in time");
                return late;
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
