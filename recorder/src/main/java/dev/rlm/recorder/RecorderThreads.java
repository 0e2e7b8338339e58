package dev.rlm.recorder;

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

    /** Returns the task for a timer, which would keep to itself what it throws and call it no more. */
    static Runnable repeated(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LoggerFactory.getLogger(RecorderThreads.class).warn("a check failed and is repeated: {}", e.toString());
            } catch (Error e) {
                end(e);
            }
        };
    }

    /** Halts: an orderly end needs memory, which may be what is missing. */
    private static void end(Throwable cause) {
        try {
            System.err.print("rlm: the recorder cannot go on: "); // first what needs no memory
            System.err.println(cause);
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }
}
