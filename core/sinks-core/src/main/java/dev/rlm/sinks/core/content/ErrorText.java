package dev.rlm.sinks.core.content;

import dev.rlm.sinks.event.RunStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;

/** Text of errors, also of one whose own methods throw. */
public final class ErrorText {
    private static final int MAX_CAUSES = 100; // they may form a circle

    private ErrorText() {}

    public static String message(Throwable error) {
        try {
            String message = error.getMessage();
            return message == null ? error.getClass().getSimpleName() : message;
        } catch (RuntimeException e) {
            return error.getClass().getSimpleName();
        }
    }

    /** Returns whether work that has thrown this on this thread was stopped, and has not failed. */
    public static boolean isStop(Throwable thrown) {
        return RunStatus.codeOf(thrown) == RunStatus.CANCELLED
                || Thread.currentThread().isInterrupted();
    }

    /** Returns the class and the message. */
    public static String of(@Nullable Throwable error) {
        if (error == null) {
            return "";
        }
        try {
            return error.toString();
        } catch (RuntimeException e) {
            return error.getClass().getName();
        }
    }

    /** Returns the error and its cause in one line. */
    public static String reason(Throwable error) {
        try {
            return told(error);
        } catch (RuntimeException e) {
            return error.getClass().getName();
        }
    }

    private static String told(Throwable error) {
        if (error instanceof NoClassDefFoundError && error.getCause() instanceof ClassNotFoundException missing) {
            return "a library is missing: class not found: " + missing.getMessage();
        }
        Throwable cause = error;
        for (int i = 0; i < MAX_CAUSES && cause.getCause() != null; i++) {
            cause = cause.getCause();
        }
        // The message of an Error is often a bare word that says nothing without the type.
        boolean telling = error.getMessage() != null && (error instanceof Exception || error.getCause() != null);
        String own = telling ? String.valueOf(error.getMessage()) : error.toString();
        String line = cause == error ? own : own + ": " + cause;
        return line.lines().findFirst().orElse("");
    }

    public static String stackTrace(Throwable error) {
        StringWriter text = new StringWriter();
        try {
            error.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException e) {
            text.append(error.getClass().getName());
        }
        return text.toString();
    }
}
