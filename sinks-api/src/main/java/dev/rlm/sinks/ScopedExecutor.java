package dev.rlm.sinks;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** An executor whose tasks run where they were handed over: see {@link Scope#wrap(ExecutorService)}. */
final class ScopedExecutor extends AbstractExecutorService {
    private final ExecutorService executor;
    private final UnaryOperator<Runnable> wrap;

    ScopedExecutor(ExecutorService executor, UnaryOperator<Runnable> wrap) {
        this.executor = executor;
        this.wrap = wrap;
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(wrap.apply(task));
    }

    @Override
    public void shutdown() {
        executor.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return executor.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return executor.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return executor.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return executor.awaitTermination(timeout, unit);
    }
}
