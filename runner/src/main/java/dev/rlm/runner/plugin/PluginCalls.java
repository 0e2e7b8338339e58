package dev.rlm.runner.plugin;

import dev.rlm.cli.UsageException;
import dev.rlm.episodes.SetupException;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.time.Duration;

/** Calls of plug-ins that a job cannot begin or end without: each is waited for as long as {@value #VARIABLE} says. */
public final class PluginCalls {
    /** Says how long. */
    public static final String VARIABLE = "RLM_PLUGIN_TIMEOUT";

    private final BoundedCalls calls;
    private final String source; // of their limit

    private PluginCalls(Duration limit, String source) {
        this.calls = new BoundedCalls("rlm-plugin", limit);
        this.source = source;
    }

    /** Calls that may take as long as the variable says. */
    public static PluginCalls of(SinkConfig config) {
        Duration limit = config.shared().duration(VARIABLE, Duration.ofSeconds(60));
        if (limit.isZero()) {
            throw config.shared().invalid(VARIABLE, "a time above 0, such as 90s");
        }
        return new PluginCalls(limit, " (" + VARIABLE + ")");
    }

    /** Calls that may take so long. */
    public static PluginCalls of(Duration limit) {
        return new PluginCalls(limit, "");
    }

    /**
     * Does it.
     *
     * @param what is done, for the message
     * @throws SetupException if it throws anything, or takes too long
     */
    public void run(String what, Task task) {
        try {
            calls.<Boolean, RuntimeException>call(
                    () -> {
                        task.run();
                        return true;
                    },
                    cause -> failure(what, cause),
                    limit -> new SetupException(what + " takes longer than " + limit + source));
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
        SetupException failure = new SetupException(what + " failed: " + BoundedCalls.text(cause));
        failure.initCause(cause);
        return failure;
    }

    /** Something that a plug-in does. */
    @FunctionalInterface
    public interface Task {
        void run() throws Exception;
    }
}
