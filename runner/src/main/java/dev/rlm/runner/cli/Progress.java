package dev.rlm.runner.cli;

import dev.rlm.runner.episode.Job;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A line on the terminal that tells how far a job has come, until it is closed. */
final class Progress implements AutoCloseable {
    private static final int INTERVAL_MILLIS = 200;

    private final Console console;
    private final Job job;
    private final ScheduledExecutorService timer;

    Progress(Console console, Job job) {
        this.console = console;
        this.job = job;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rlm-progress");
            thread.setDaemon(true);
            return thread;
        });
        if (console.terminal()) {
            var unused = timer.scheduleAtFixedRate(this::show, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void show() {
        if (!timer.isShutdown()) {
            console.err().print("\r" + job.ended() + " of " + job.size() + " runs have ended");
            console.err().flush();
        }
    }

    @Override
    public synchronized void close() {
        timer.shutdownNow();
        if (console.terminal()) {
            console.err().print("\r\033[K"); // clears the line
            console.err().flush();
        }
    }
}
