package dev.rlm.sinks.core.lane;

/** A lane's thread has come back from a call that was given up meanwhile. */
final class GivenUpException extends Exception {
    private static final long serialVersionUID = 1;

    GivenUpException() {
        super(null, null, false, false);
    }
}
