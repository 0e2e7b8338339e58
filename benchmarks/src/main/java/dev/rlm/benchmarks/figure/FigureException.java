package dev.rlm.benchmarks.figure;

/** A thing that could not be measured; the message says why in one line. */
public final class FigureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public FigureException(String message) {
        super(message);
    }
}
