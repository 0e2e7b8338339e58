package dev.rlm.sinks.redaction;

/** Says that a search has taken too long. */
final class OverdueException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OverdueException() {
        super("overdue", null, false, false);
    }
}
