package dev.rlm.journal;

/** Stop of a replay because no sink takes events any more, or its thread was interrupted. */
public final class ReplayStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ReplayStoppedException() {
        super("stopped", null, false, false);
    }
}
