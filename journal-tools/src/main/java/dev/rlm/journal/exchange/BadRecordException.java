package dev.rlm.journal.exchange;

/** What was read is not as it should be. The message says what was expected. */
final class BadRecordException extends Exception {
    private static final long serialVersionUID = 1;

    BadRecordException(String expected) {
        super("expected " + expected);
    }
}
