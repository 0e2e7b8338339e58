package dev.rlm.runner.job;

import dev.rlm.cli.Console;
import dev.rlm.cli.OpenConsoles;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.program.Rlm;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.SinkConfig;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Console beside a job, on the journal of the job: one that is open already, or one that opens with the job. The latter stays open for a
 * person until Ctrl-C, else until the job has ended.
 */
final class ConsoleBeside implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long PAUSE_MILLIS = 20;

    private final Console console;
    private final @Nullable Thread thread; // null where another process has one open

    /** Opens one, unless there is one, and returns once it answers. */
    ConsoleBeside(Console console, SinkConfig config) {
        this.console = console;
        OpenConsoles open = OpenConsoles.of(config);
        Path journal = Journal.configured(config);
        if (open.find(journal).isPresent()) {
            thread = null;
            return;
        }
        // stdout is for what the job came to
        Console told = console.withOut(console.err());
        thread = new Thread(() -> Rlm.execute(told, config, "view"), "rlm-view");
        thread.setDaemon(true);
        thread.start();
        long start = System.nanoTime();
        while (open.find(journal).isEmpty()) {
            if (!thread.isAlive() || System.nanoTime() - start > PATIENCE_NANOS || !pause()) {
                close();
                throw new UsageException("--view: the console cannot be opened; rlm view tells why");
            }
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Leaves it open for a person, until Ctrl-C. */
    void awaitReader() {
        if (thread != null && thread.isAlive() && console.terminal()) {
            console.err().println("the job has ended; Ctrl-C ends the console");
            console.err().flush();
            join(thread);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the one that it has opened. */
    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
            join(thread);
        }
    }
}
