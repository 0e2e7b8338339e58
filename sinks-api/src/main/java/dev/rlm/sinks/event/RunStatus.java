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

    private static final int MOST_CAUSES = 20; // they may form a cycle

    public RunStatus {
        message = Checks.orEmpty(message);
        details = Checks.texts(details);
    }

    /**
     * Returns the code of what was thrown, which is that of its {@linkplain #causeOf cause}: {@link #CANCELLED} of a cancellation or an interruption,
     * {@link #DEADLINE_EXCEEDED} of a time-out, {@link #INVALID_ARGUMENT}, else {@link #INTERNAL}.
     */
    public static int codeOf(Throwable thrown) {
        Throwable cause = causeOf(thrown);
        if (isCancellation(cause)) {
            return CANCELLED;
        } else if (cause instanceof TimeoutException) {
            return DEADLINE_EXCEEDED;
        }
        return cause instanceof IllegalArgumentException ? INVALID_ARGUMENT : INTERNAL;
    }

    /** Returns what a failure comes to: the cancellation or interruption that lies behind it, else what the exception of a future wraps, else itself. */
    public static Throwable causeOf(Throwable thrown) {
        try {
            Throwable cause = thrown;
            for (int depth = 0; cause != null && depth < MOST_CAUSES; depth++) {
                if (isCancellation(cause)) {
                    return cause;
                }
                cause = cause.getCause();
            }
            boolean wraps = thrown instanceof CompletionException || thrown instanceof ExecutionException;
            return wraps && thrown.getCause() != null ? thrown.getCause() : thrown;
        } catch (RuntimeException e) { // an error's own methods may do anything
            return thrown;
        }
    }

    private static boolean isCancellation(Throwable error) {
        return error instanceof InterruptedException || error instanceof CancellationException;
    }

    /** A status without details. */
    public static RunStatus of(int code, String message) {
        return new RunStatus(code, message, Map.of());
    }
}
