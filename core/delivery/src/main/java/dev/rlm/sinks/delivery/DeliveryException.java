package dev.rlm.sinks.delivery;

import java.io.IOException;

/**
 * Exception with a {@link Failure}, for interfaces that know of exceptions alone. It has no stack trace, and its message
 * nothing that a server says: exporters log both.
 */
public final class DeliveryException extends IOException {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // it is never serialised
    private final Failure failure;

    public DeliveryException(Failure failure) {
        super(failure.detail());
        this.failure = failure;
    }

    /** Returns why the items were not taken. */
    public Failure failure() {
        return failure;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
