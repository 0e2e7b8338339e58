package dev.rlm.runs.exchange.input;

/** Exception for a record that cannot be read. The message says what was expected. */
public final class BadRecordException extends Exception {
    private static final long serialVersionUID = 1;
    private static final String BEGINS = "expected ";

    public BadRecordException(String expected) {
        super(BEGINS + expected);
    }

    /** Returns the same exception, with the place in its message. */
    public BadRecordException in(String place) {
        return new BadRecordException(String.valueOf(getMessage()).substring(BEGINS.length()) + " in " + place);
    }
}
