package dev.rlm.journal.exchange;

/** What was read is not as it should be. The message says what was expected. */
final class BadRecordException extends Exception {
    private static final long serialVersionUID = 1;
    private static final String BEGINS = "expected ";

    BadRecordException(String expected) {
        super(BEGINS + expected);
    }

    /** The same, told to be within that. */
    BadRecordException in(String place) {
        return new BadRecordException(String.valueOf(getMessage()).substring(BEGINS.length()) + " in " + place);
    }
}
