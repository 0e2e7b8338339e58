package dev.rlm.sinks.traced;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what fails in recording from the agent, for those who listen to a framework too. The log is told once of each kind of failure, without
 * its message, which may hold secrets. Safe for use by several threads.
 */
public final class Guard {
    private static final Logger LOGGER = LoggerFactory.getLogger("dev.rlm.sinks");
    private static final int MOST = 1_000;
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private Guard() {}

    /**
     * Does that; what fails in it is the log's alone.
     *
     * @param what the part of the record that is missing then, for the log
     */
    @SuppressWarnings("CatchThrowable") // the agent's own shapes and values may do anything
    public static void run(String what, Runnable recording) {
        try {
            recording.run();
        } catch (Throwable e) {
            tell(what, e);
        }
    }

    @SuppressWarnings("CatchThrowable") // the program's log may throw anything
    private static void tell(String what, Throwable error) {
        try {
            StackTraceElement[] trace = error.getStackTrace();
            String kind = what + ": " + error.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]);
            if (TOLD.size() < MOST && TOLD.add(kind)) {
                LOGGER.warn("a call is recorded without {}", kind);
            }
        } catch (Throwable e) {
            // there is no other place to tell it
        }
    }
}
