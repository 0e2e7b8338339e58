package dev.rlm.cli.launcher;

import dev.rlm.cli.Interruption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends the process by force five seconds after the time that its command had to end, ten seconds as a rule, by itself or by a signal. Java waits for shutdown hooks for ever,
 * and a plug-in may have one that hangs.
 */
final class ExitWatchdog {
    private static final Duration PATIENCE = Duration.ofSeconds(5); // beyond the command's own time
    private static final Duration PRINTING = Duration.ofSeconds(1);

    private boolean ended; // guarded by this, as is the next
    private int exitCode = Interruption.EXIT_CODE;

    private ExitWatchdog() {}

    /** Watches from now on. */
    static ExitWatchdog start() {
        ExitWatchdog watchdog = new ExitWatchdog();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> daemon(watchdog::await).start(), "rlm-exit-watchdog-start"));
        return watchdog;
    }

    /**
     * The command has done its work and its sinks are closed: ends the process with that code. Returns where a signal ends it,
     * whose code counts: once all hooks have run, Java would take this one.
     */
    void exit(int code) {
        synchronized (this) {
            ended = true;
            exitCode = code;
        }
        if (!isEnding()) {
            System.exit(code);
        }
    }

    private static boolean isEnding() {
        Thread probe = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "rlm-exit-watchdog");
        thread.setDaemon(true);
        return thread;
    }

    private void await() {
        try {
            TimeUnit.NANOSECONDS.sleep(patience().toNanos());
            Thread printing = daemon(() -> System.err.println(line()));
            printing.start();
            TimeUnit.NANOSECONDS.timedJoin(printing, PRINTING.toNanos()); // who should read may not
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // never happens: no other thread knows this one
        }
        Runtime.getRuntime().halt(exitCode());
    }

    private static Duration patience() {
        return Interruption.time().plus(PATIENCE);
    }

    private synchronized int exitCode() {
        return exitCode;
    }

    private synchronized String line() {
        String late = ended ? "a shutdown hook, such as a plug-in's, did not end" : "the command did not stop";
        return "rlm: ended by force after " + patience().toSeconds() + " s: " + late;
    }
}
