package dev.rlm.sinks.otel.otlp;

import java.io.IOException;

/**
 * Brings a {@link Failure} through an exporter, which knows only of answers and of exceptions: as what the exporter's
 * result fails with, or as a cause of that. It has no stack trace, and its message nothing that a server says: exporters
 * log both.
 */
public final class NotTakenException extends IOException {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // nobody serialises it
    private final Failure failure;

    public NotTakenException(Failure failure) {
        super(failure.detail());
        this.failure = failure;
    }

    /** Why it was not taken. */
    public Failure failure() {
        return failure;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
