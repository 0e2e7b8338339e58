package dev.rlm.sinks.event;

import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * A run's status in the form that trainers poll for. The codes 0 to 16 are those of gRPC; above 99 come this project's own.
 *
 * @param message for people; empty where there is nothing to say
 * @param details further facts by name
 */
public record RunStatus(
        @Recorded(required = true) int code,
        @Recorded(standard = "") String message,
        Map<String, String> details) {
    /** Went well (gRPC). */
    public static final int OK = 0;

    /** Stopped before its end (gRPC). */
    public static final int CANCELLED = 1;

    /** Failed for an unknown reason (gRPC). */
    public static final int UNKNOWN = 2;

    /** Given something that it cannot take (gRPC). */
    public static final int INVALID_ARGUMENT = 3;

    /** Ran out of time (gRPC). */
    public static final int DEADLINE_EXCEEDED = 4;

    /** Its process died (gRPC). */
    public static final int ABORTED = 10;

    /** Failed by an error of its own (gRPC). */
    public static final int INTERNAL = 13;

    public static final int UNAVAILABLE = 14;

    /** Ran to its end. */
    public static final int FINISHED = 100;

    /** Has not ended yet. */
    public static final int RUNNING = 101;

    /** Ran to its end, but its reward is absent. */
    public static final int SCORE_INVALID = 102;

    public RunStatus {
        message = Checks.orEmpty(message);
        details = Checks.texts(details);
    }

    /**
     * Returns the code of what ended some work by being thrown: {@link #CANCELLED} for an interruption or a cancellation,
     * {@link #DEADLINE_EXCEEDED} for a time-out, {@link #INVALID_ARGUMENT}, else {@link #INTERNAL}. What was thrown on another thread is what
     * counts, not that it came from there.
     */
    public static int codeOf(Throwable thrown) {
        Throwable error = causeOf(thrown);
        if (error instanceof InterruptedException || error instanceof CancellationException) {
            return CANCELLED;
        } else if (error instanceof TimeoutException) {
            return DEADLINE_EXCEEDED;
        }
        return error instanceof IllegalArgumentException ? INVALID_ARGUMENT : INTERNAL;
    }

    /** Returns what was thrown on another thread, where this says that something was; else the same. */
    public static Throwable causeOf(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException || thrown instanceof ExecutionException
                ? thrown.getCause()
                : null;
        return cause == null ? thrown : cause;
    }

    /** A status without details. */
    public static RunStatus of(int code, String message) {
        return new RunStatus(code, message, Map.of());
    }
}
