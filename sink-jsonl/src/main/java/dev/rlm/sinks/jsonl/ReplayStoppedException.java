package dev.rlm.sinks.jsonl;

/** Nobody takes events any more. */
final class ReplayStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReplayStoppedException() {
        super("stopped", null, false, false);
    }
}
