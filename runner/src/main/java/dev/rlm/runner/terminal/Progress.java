package dev.rlm.runner.terminal;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A line that tells how far a command has come, until it is closed: on a terminal always the same one, in a log another. */
public final class Progress implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(200);
    private static final String CLEAR = "\033[K"; // to the end of the line

    private final PrintWriter err;
    private final boolean terminal;
    private final Supplier<String> line;
    private final ScheduledExecutorService timer;

    /**
     * Shows the line from now on.
     *
     * @param shown whether a person sees it as it comes; otherwise nothing is written
     */
    public Progress(PrintWriter err, boolean shown, Supplier<String> line) {
        this(err, shown, line, Duration.ZERO);
    }

    /**
     * Shows the line from now on.
     *
     * @param terminal whether a person sees it as it comes
     * @param otherwise how often it is written where nobody does; zero for never
     */
    public Progress(PrintWriter err, boolean terminal, Supplier<String> line, Duration otherwise) {
        this.err = err;
        this.terminal = terminal;
        this.line = line;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rlm-progress");
            thread.setDaemon(true);
            return thread;
        });
        if (terminal) {
            every(INTERVAL, Duration.ZERO);
        } else if (!otherwise.isZero()) {
            every(otherwise, otherwise);
        }
    }

    private void every(Duration interval, Duration first) {
        var unused = timer.scheduleAtFixedRate(this::show, first.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    private synchronized void show() {
        if (!timer.isShutdown()) {
            err.print(terminal ? "\r" + line.get() + CLEAR : line.get() + System.lineSeparator());
            err.flush();
        }
    }

    @Override
    public synchronized void close() {
        timer.shutdownNow();
        if (terminal) {
            err.print("\r" + CLEAR);
            err.flush();
        }
    }
}
