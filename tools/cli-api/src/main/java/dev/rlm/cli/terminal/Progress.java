package dev.rlm.cli.terminal;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A line that tells how far a command has come, until it is closed: on a terminal always the same one, in a log another. */
public final class Progress implements AutoCloseable {
    /** Interval of lines that tell how far long work has come where no person looks. */
    public static final Duration LOG_INTERVAL = Duration.ofSeconds(30);

    private static final Duration INTERVAL = Duration.ofMillis(200);

    private final PrintWriter err;
    private final boolean terminal;
    private final Supplier<String> line;
    private final ScheduledExecutorService timer;
    private int width; // of what stands on the terminal; guarded by this

    /**
     * Shows the line from now on.
     *
     * @param terminal whether a person sees it as it comes
     * @param otherwise the interval at which it is written if there is no terminal; zero for never
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
            String text = line.get();
            err.print(terminal ? over(text) : text + System.lineSeparator());
            err.flush();
        }
    }

    /** The text in the place of the one before, without control sequences: not every terminal knows them. */
    private String over(String text) {
        String rest = " ".repeat(Math.max(0, width - text.length()));
        width = text.length();
        return "\r" + text + rest;
    }

    @Override
    public synchronized void close() {
        timer.shutdownNow();
        if (terminal) {
            err.print(over("") + "\r");
            err.flush();
        }
    }
}
