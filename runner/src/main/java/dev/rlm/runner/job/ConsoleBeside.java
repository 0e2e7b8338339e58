package dev.rlm.runner.job;

import dev.rlm.cli.Console;
import dev.rlm.cli.OpenConsoles;
import dev.rlm.cli.Program;
import dev.rlm.cli.UsageException;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.jsonl.Journal;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;

/**
 * Console beside a job, on the journal of the job: one that is open already, or one that opens with the job. The latter stays open for a
 * person until Ctrl-C, else until the job has ended.
 */
final class ConsoleBeside implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long PAUSE_MILLIS = 20;

    private final Console console;
    private final Thread thread;

    /** Opens one, unless there is one, and returns once it answers. */
    ConsoleBeside(Console console, SinkConfig config) {
        this.console = console;
        OpenConsoles open = OpenConsoles.of(config);
        Program program = ServiceLoader.load(Program.class)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the program cannot be found"));
        // stdout is for what the job came to
        Console told = new Console(console.err(), console.err(), console.terminal(), console.program());
        this.thread = new Thread(() -> program.execute(told, config, "view"), "rlm-view");
        thread.setDaemon(true);
        if (open.find(Journal.configured(config)).isPresent()) {
            return;
        }
        thread.start();
        long start = System.nanoTime();
        while (open.find(Journal.configured(config)).isEmpty()) {
            if (!thread.isAlive() || System.nanoTime() - start > PATIENCE_NANOS || !pause()) {
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

    @Override
    public void close() {
        if (!console.terminal()) {
            thread.interrupt();
        } else if (thread.isAlive()) {
            console.err().println("the job has ended; Ctrl-C ends the console");
            console.err().flush();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
