package dev.rlm.sinks.testkit.fault;

import java.io.PrintWriter;

/** An exception that cannot be told: whatever it is asked, it throws. */
final class UnspeakableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static RuntimeException another() {
        return new IllegalStateException("it may not be asked");
    }

    @Override
    public String getMessage() {
        throw another();
    }

    @Override
    public String getLocalizedMessage() {
        throw another();
    }

    @Override
    public String toString() {
        throw another();
    }

    @Override
    public synchronized Throwable getCause() {
        throw another();
    }

    @Override
    public StackTraceElement[] getStackTrace() {
        throw another();
    }

    @Override
    public void printStackTrace(PrintWriter target) {
        throw another();
    }
}
