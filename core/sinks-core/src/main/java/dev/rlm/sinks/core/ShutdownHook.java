package dev.rlm.sinks.core;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shutdown hook that closes the registered hubs, all at the same time, within five seconds: hooks run in parallel and
 * in no order, and each hub's own would take its own five seconds. It is installed as long as one of them is open, so
 * that an application that is taken out of a server leaves nothing behind.
 */
final class ShutdownHook {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Set<Hub> OPEN = new LinkedHashSet<>(); // guards itself and the next
    private static @Nullable Thread hook;

    private ShutdownHook() {}

    /** Has the hub closed when the process ends. Where it is ending already, nothing is done. */
    static void add(Hub hub) {
        synchronized (OPEN) {
            if (OPEN.isEmpty()) {
                Thread thread = new Thread(ShutdownHook::closeAll, "rlm-sinks-shutdown");
                try {
                    Runtime.getRuntime().addShutdownHook(thread);
                } catch (IllegalStateException e) {
                    return;
                }
                hook = thread;
            }
            OPEN.add(hub);
        }
    }

    /** The hub has been closed. */
    static void remove(Hub hub) {
        synchronized (OPEN) {
            if (OPEN.remove(hub) && OPEN.isEmpty() && hook != null) {
                try {
                    Runtime.getRuntime().removeShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // the process is ending, and the hook finds nothing to do or is at it
                }
            }
        }
    }

    private static void closeAll() {
        List<Thread> closers = open().stream().map(ShutdownHook::closer).toList();
        long by = System.nanoTime() + TIMEOUT.toNanos();
        closers.forEach(Thread::start);
        try {
            for (Thread closer : closers) {
                TimeUnit.NANOSECONDS.timedJoin(closer, by - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the process is to end at once
        }
    }

    private static List<Hub> open() {
        synchronized (OPEN) {
            return List.copyOf(OPEN);
        }
    }

    private static Thread closer(Hub hub) {
        Thread thread = new Thread(() -> hub.closeAtExit(TIMEOUT), "rlm-sinks-shutdown-hub");
        thread.setDaemon(true);
        return thread;
    }
}
