package dev.rlm.sinks;

/** A setting has a value that cannot be used. The message is one line: which, what it was and what is allowed. */
public final class SinkConfigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public SinkConfigException(String message) {
        super(message);
    }

    public SinkConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
