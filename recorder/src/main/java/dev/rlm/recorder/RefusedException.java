package dev.rlm.recorder;

/** A line cannot be recorded. The message says in one line what is wrong and what is allowed. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
        super(message, null, false, false); // an answer and not a failure: nobody looks for where it was made
    }
}
