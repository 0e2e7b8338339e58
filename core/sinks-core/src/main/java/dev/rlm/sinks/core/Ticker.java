package dev.rlm.sinks.core;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hub's timer: one daemon thread, which starts with the first task. Tasks must return at once. One that comes after
 * the close is never done.
 */
final class Ticker implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger("dev.rlm.sinks");
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final Duration SHORTEST = Duration.ofMillis(1); // whatever a clock says, it does not run hot

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1,
            task -> {
                Thread thread = new Thread(task, "rlm-sinks-timer");
                thread.setDaemon(true);
                return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy());

    Ticker() {
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** A length of time in nanoseconds, of a hundred years at the most. */
    static long nanos(Duration time) {
        return time.compareTo(LONGEST) < 0 ? time.toNanos() : LONGEST.toNanos();
    }

    /** Has the task done again and again, whatever it throws. */
    void every(Duration interval, Runnable task) {
        var unused = timer.scheduleWithFixedDelay(
                () -> guarded(task), nanos(interval), nanos(interval), TimeUnit.NANOSECONDS);
    }

    /** Has the task done once, unless it is cancelled before. */
    Future<?> after(Duration time, Runnable task) {
        Duration delay = time.compareTo(SHORTEST) < 0 ? SHORTEST : time;
        return timer.schedule(() -> guarded(task), nanos(delay), TimeUnit.NANOSECONDS);
    }

    @SuppressWarnings("CatchThrowable") // one that throws would never be done again
    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            LOGGER.warn("a task of the sinks' timer failed: {}", e.getClass().getName());
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
