package dev.rlm.episodes;

/**
 * A job cannot be started as it was asked for. The message is one line for the user: what was wrong, where, and what is
 * allowed.
 */
public class SetupException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public SetupException(String message) {
        super(message);
    }
}
