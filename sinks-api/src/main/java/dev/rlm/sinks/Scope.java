package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * Something is current on this thread until the scope is closed, on the same thread: a run, a step, a span or the
 * computation of a reward. Then sinks that trace have what is called on the thread lie in it, and what SLF4J logs there
 * carries {@code run_id}, {@code rollout_id}, {@code step}, {@code trace_id} and {@code span_id} in its MDC, and
 * {@link Activity#current} finds it.
 *
 * <p>Other threads know nothing of it, unless what they run was wrapped:
 *
 * <pre>{@code
 * ExecutorService tools = Scope.wrap(Executors.newFixedThreadPool(8));
 * try (Scope scope = step.makeCurrent()) {
 *     tools.submit(() -> client.send(request, BodyHandlers.ofString())); // lies in the step
 * }
 * }</pre>
 */
@FunctionalInterface
public interface Scope extends AutoCloseable {
    /** Nothing was made current. */
    Scope NONE = () -> {};

    /**
     * The task, to be run on any thread, be it a virtual one, with that current which is current on this thread now.
     * Where nothing is, it is the task itself.
     */
    static Runnable wrap(Runnable task) {
        Activity current = Activity.current();
        return current.isRecording()
                ? () -> {
                    try (Scope scope = current.makeCurrent()) {
                        task.run();
                    }
                }
                : task;
    }

    /** Wraps a task with a result as {@link #wrap(Runnable)} does. */
    static <T> Callable<T> wrap(Callable<T> task) {
        Activity current = Activity.current();
        return current.isRecording()
                ? () -> {
                    try (Scope scope = current.makeCurrent()) {
                        return task.call();
                    }
                }
                : task;
    }

    /** An executor that runs its tasks on this one, each with that current which was when the task was handed over. */
    static Executor wrap(Executor executor) {
        return task -> executor.execute(wrap(task));
    }

    /** Wraps an executor as {@link #wrap(Executor)} does. Shutting down the result shuts down the wrapped one. */
    static ExecutorService wrap(ExecutorService executor) {
        return new ScopedExecutor(executor, Scope::wrap);
    }

    /**
     * Makes the activity current on this thread for {@link Activity#current} and {@link #wrap(Runnable)}. For hubs, and for
     * stand-ins of their handles in tests: all others call {@link Activity#makeCurrent}.
     *
     * @param inner closed together with the scope; tells its {@link #traceContext}
     */
    static Scope open(Activity activity, Scope inner) {
        return CurrentScope.open(activity, inner);
    }

    /** The span that is current, for the log of the thread: what a sink that traces tells of the scope that it opened. */
    default Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    @Override
    void close();
}
