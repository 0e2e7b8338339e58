package dev.rlm.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * {@link StopSignal} while a command works: the command is told to stop, and has a time, five seconds
 * unless told, to bring its end about. The exit code is then the signal's own.
 */
public final class Interruption implements AutoCloseable {
    /** Exit code of a command that was told to stop and has. */
    public static final int EXIT_CODE = 130;

    /** Time to close the sinks then: the rest is for what works to heed the interrupt, and to say so. */
    public static final Duration CLOSE_TIME = Duration.ofMillis(3500);

    private static final Duration TIME = Duration.ofSeconds(5);
    private static volatile Duration given = TIME;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final StopSignal signal;
    private final Duration time;
    private final Thread hook;
    private Runnable stop; // guarded by this, as is the next
    private boolean told;

    /** Stops the work from now on, until it is closed. */
    public Interruption(Console console, Runnable stop) {
        this(console, stop, TIME);
    }

    /** Stops work that may take so long to come to its end. */
    public Interruption(Console console, Runnable stop, Duration time) {
        this.signal = console.stop();
        this.stop = stop;
        this.time = time;
        hasTime(time);
        hook = new Thread(
                () -> {
                    tell();
                    awaitEnd();
                },
                "rlm-shutdown");
        signal.add(hook);
    }

    private static void hasTime(Duration time) {
        given = time;
    }

    /** Returns how long the command that runs has. */
    public static Duration time() {
        return given;
    }

    private synchronized void tell() {
        told = true;
        stop.run();
    }

    /**
     * The command has come to another part of its work, which is what is to stop from now on.
     *
     * @return {@code false} where it was told to stop before, which it is not once more
     */
    public synchronized boolean nowStops(Runnable next) {
        stop = next;
        return !told;
    }

    /** Returns whether the command was told to stop. */
    public synchronized boolean wasTold() {
        return told;
    }

    private void awaitEnd() {
        try {
            var unused = finished.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The command has done all it had to do. */
    @Override
    public void close() {
        finished.countDown();
        try {
            signal.remove(hook);
        } catch (IllegalStateException e) {
            // the process is ending, and the hook has been let go
        }
    }
}
