package dev.rlm.gateway;

/** A request is not served. The message says in one line what is wrong and what is allowed. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;

    RefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }

    /** Does nothing: an answer is no failure. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
