package dev.rlm.journal.line;

import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;

/**
 * Checks blocks of lines on every core, and gives what came of it in their order. For one thread, which does its share: where
 * all other cores are busy it does all, as it does with the only block of a small file.
 */
public final class BlocksAhead<T> {
    private static final int MOST = 8;

    private final Queue<FutureTask<T>> waiting = new ArrayDeque<>();

    /** Has a block checked, at the latest by {@link #next}. */
    public void add(Callable<T> check) {
        FutureTask<T> task = new FutureTask<>(check);
        if (!waiting.isEmpty()) {
            ForkJoinPool.commonPool().execute(task);
        }
        waiting.add(task);
    }

    public boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * Returns whether eight blocks wait: the next one is to be taken before another is added, since they need memory.
     */
    public boolean isFull() {
        return waiting.size() >= MOST;
    }

    /** Returns the result of the oldest block that has not been taken; checks it here if no other thread has begun. */
    public T next() throws ClosedByInterruptException {
        FutureTask<T> oldest = waiting.remove();
        oldest.run(); // does nothing where another thread has begun
        Iterator<FutureTask<T>> others = waiting.iterator();
        while (!oldest.isDone() && others.hasNext()) {
            others.next().run(); // rather than to wait
        }
        try {
            return oldest.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClosedByInterruptException(); // as if it had been reading the file
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        }
    }

    /** Forgets what has not been taken. */
    public void clear() {
        waiting.forEach(task -> task.cancel(false));
        waiting.clear();
    }
}
