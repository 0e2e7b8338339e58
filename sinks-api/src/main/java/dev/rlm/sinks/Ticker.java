package dev.rlm.sinks;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The hub's timer: one daemon thread, which starts with the first task. Tasks must return at once. */
final class Ticker implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger("dev.rlm.sinks");

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "rlm-sinks-timer");
        thread.setDaemon(true);
        return thread;
    });

    Ticker() {
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Has the task done again and again, whatever it throws. */
    void every(Duration interval, Runnable task) {
        var unused = timer.scheduleWithFixedDelay(
                () -> guarded(task), interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
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
