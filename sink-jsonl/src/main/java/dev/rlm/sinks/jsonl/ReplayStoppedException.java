package dev.rlm.sinks.jsonl;

/** Stop of a replay because no sink takes events any more, or its thread was interrupted. */
final class ReplayStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReplayStoppedException() {
        super("stopped", null, false, false);
    }
}
