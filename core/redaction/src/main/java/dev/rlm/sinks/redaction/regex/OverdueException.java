package dev.rlm.sinks.redaction.regex;

/** Says that a search has taken too long. */
public final class OverdueException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public OverdueException() {
        super("overdue", null, false, false);
    }
}
