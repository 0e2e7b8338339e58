package dev.rlm.recorder;

/**
 * A line cannot be recorded. The message says in one line what is wrong and what is allowed. Events refuse their values by an
 * {@link IllegalArgumentException} too, and both are answers to the client.
 */
final class LineRefusedException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    LineRefusedException(String message) {
        this(message, Reason.WRONG);
    }

    LineRefusedException(String message, Reason reason) {
        super(message);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }

    /** Does nothing: the exception is an answer to a client, and its stack is of no use. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    /** Reason why a line is refused, as far as its sender can do something about it. */
    enum Reason {
        /** It is wrong. */
        WRONG,
        /** It has been recorded already. */
        REPEATED,
        /** It cannot be recorded now, and may be sent again. */
        LATER
    }
}
