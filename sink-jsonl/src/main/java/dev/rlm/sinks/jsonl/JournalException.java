package dev.rlm.sinks.jsonl;

/** A journal cannot be read, or has not what was asked of it. The message is one line that says what and why. */
public final class JournalException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JournalException(String message) {
        super(message);
    }

    public JournalException(String message, Throwable cause) {
        super(message, cause);
    }
}
