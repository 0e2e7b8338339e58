package dev.rlm.recorder;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * Threads of the recorder. One that dies ends the process, and says so: without it clients would wait for ever. What was
 * answered is synced by then.
 */
final class RecorderThreads {
    private RecorderThreads() {}

    /** Makes a thread that does not keep the process alive. */
    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((dead, cause) -> end(cause));
        return thread;
    }

    /** Starts a thread that calls the task again and again, until it is shut down. */
    static ExecutorService repeating(Runnable task, Duration period, String name) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(each -> daemon(each, name));
        var unused = timer.scheduleWithFixedDelay(
                () -> guarded(task), period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
        return timer;
    }

    /** Runs a task of a timer, which would keep to itself what the task throws and call it no more. */
    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LoggerFactory.getLogger(RecorderThreads.class).warn("a check failed and is repeated: {}", e.toString());
        } catch (Error e) {
            end(e);
        }
    }

    /** Halts: an orderly end needs memory, which may be what is missing. */
    static void end(Throwable cause) {
        try {
            System.err.print("rlm: the recorder cannot go on: "); // first what needs no memory
            System.err.println(cause);
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }
}
