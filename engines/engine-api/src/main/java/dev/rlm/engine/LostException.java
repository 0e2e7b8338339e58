package dev.rlm.engine;

/** Failure of an episode whose attempts have each ended with their processes, so that it is not tried again. */
public final class LostException extends Exception {
    private static final long serialVersionUID = 1;

    /** Makes one after so many attempts. */
    public LostException(int attempts) {
        super("each of " + attempts + " attempts was lost with its process");
    }
}
