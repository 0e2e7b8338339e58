package dev.rlm.runner.job;

import dev.rlm.cli.Durations;
import dev.rlm.cli.UsageException;
import dev.rlm.episodes.SetupException;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How long a plug-in is waited for where the program cannot go on without it: it is called on a thread of its own. */
final class Patience {
    static final String VARIABLE = "RLM_PLUGIN_TIMEOUT";

    private final Duration limit;
    private final String source;

    private Patience(Duration limit, String source) {
        this.limit = limit;
        this.source = source;
    }

    /** As long as the variable says. */
    static Patience of(SinkConfig config) {
        Duration limit = config.shared().duration(VARIABLE, Duration.ofSeconds(60));
        if (limit.isZero()) {
            throw config.shared().invalid(VARIABLE, "a time above 0, such as 90s");
        }
        return new Patience(limit, " (" + VARIABLE + ")");
    }

    /** So long. */
    static Patience of(Duration limit) {
        return new Patience(limit, "");
    }

    /**
     * What the task gives.
     *
     * @param what is done, for the message
     * @throws SetupException if it throws anything, or takes too long
     */
    <T> T call(String what, Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "rlm-plugin");
        thread.setDaemon(true);
        thread.start();
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(what, Objects.requireNonNull(e.getCause()));
        } catch (TimeoutException e) {
            future.cancel(true);
            throw new SetupException(what + " takes longer than " + Durations.text(limit) + source);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SetupException(what + " was interrupted");
        }
    }

    private static RuntimeException failure(String what, Throwable cause) {
        if (cause instanceof SetupException
                || cause instanceof UsageException
                || cause instanceof SinkConfigException) {
            return (RuntimeException) cause;
        }
        SetupException failure = new SetupException(what + " failed: " + cause);
        failure.initCause(cause);
        return failure;
    }
}
