package dev.rlm.recorder;

/**
 * A line cannot be recorded. The message says in one line what is wrong and what is allowed. Events refuse their values by an
 * {@link IllegalArgumentException} too, and both are answers to the client.
 */
final class RefusedException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
        super(message);
    }

    /** Does nothing: an answer is no failure, and nobody looks for where it was made. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
