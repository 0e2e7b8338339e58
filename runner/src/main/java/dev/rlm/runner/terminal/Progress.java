package dev.rlm.runner.terminal;

import java.io.PrintWriter;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A line on the terminal that tells how far a command has come, until it is closed. */
public final class Progress implements AutoCloseable {
    private static final int INTERVAL_MILLIS = 200;

    private final PrintWriter err;
    private final boolean shown;
    private final Supplier<String> line;
    private final ScheduledExecutorService timer;

    /**
     * Shows the line from now on.
     *
     * @param shown whether a person sees it as it comes; otherwise nothing is written
     */
    public Progress(PrintWriter err, boolean shown, Supplier<String> line) {
        this.err = err;
        this.shown = shown;
        this.line = line;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rlm-progress");
            thread.setDaemon(true);
            return thread;
        });
        if (shown) {
            var unused = timer.scheduleAtFixedRate(this::show, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void show() {
        if (!timer.isShutdown()) {
            err.print("\r" + line.get());
            err.flush();
        }
    }

    @Override
    public synchronized void close() {
        timer.shutdownNow();
        if (shown) {
            err.print("\r\033[K"); // clears the line
            err.flush();
        }
    }
}
